/// OSS's limits, each of which tests can shrink. All in bytes but where said.
package struct ServerLimits: Equatable, Sendable {
    /// How many parts an upload has at most.
    package var partCount: UInt64 = 10_000
    /// The least size of every part but the last; looked at when the upload is completed. 100 KB.
    package var partMinimum: UInt64 = 100 << 10
    /// The most that one body brings: a part's, an object's put at once; and the end of an appendable object. 5 GB.
    package var partMaximum: UInt64 = 5 << 30
    /// The most that an object has, however it was made: ten thousand parts of the greatest size.
    package var objectMaximum: UInt64 = 10_000 * (5 << 30)
    /// The longest key.
    package var keyBytes: UInt64 = 1023
    /// Seconds by which a request's date may differ from the server's clock: OSS's fifteen minutes.
    package var skewSeconds: UInt64 = 900

    /// Seconds from the order to restore an archived object to its being readable.
    package var restoreSeconds: UInt64 = 0

    package init() {}

    /// What is put at once is bound by both.
    var bodyMaximum: UInt64 { min(partMaximum, objectMaximum) }
}
