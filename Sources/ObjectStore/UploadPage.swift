import Instrumentation

/// An upload under way in a listing.
package struct UploadRow: Hashable, Sendable {
    package var address: UploadAddress
    /// When it was begun: whole seconds, by the server's clock.
    package var initiated: WallTime

    package init(address: UploadAddress, initiated: WallTime) {
        self.address = address
        self.initiated = initiated
    }
}

/// A page of the uploads under way; may be empty and still have a `next`.
package struct UploadPage: Hashable, Sendable {
    /// By key in byte order, those of one key by id.
    package var uploads: [UploadRow]
    /// After what the next page begins; nil on the last.
    package var next: UploadAddress?
    /// The server's Date of this answer; nil where it sent none.
    package var serverDate: WallTime?

    package init(uploads: [UploadRow], next: UploadAddress? = nil, serverDate: WallTime? = nil) {
        self.uploads = uploads
        self.next = next
        self.serverDate = serverDate
    }
}
