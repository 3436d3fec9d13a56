/// What a store may have or lack besides objects that are put, read, listed and deleted.
package struct StoreFeatures: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Objects that grow at their end.
    package static let append = StoreFeatures(rawValue: 1 << 0)
    /// Symbolic links of the service's own.
    package static let links = StoreFeatures(rawValue: 1 << 1)
    package static let tags = StoreFeatures(rawValue: 1 << 2)
    /// Access lists of single objects.
    package static let acl = StoreFeatures(rawValue: 1 << 3)
    /// Archived objects that can be restored.
    package static let restore = StoreFeatures(rawValue: 1 << 4)
    /// Calls for older versions; whether a bucket keeps any it tells itself.
    package static let versions = StoreFeatures(rawValue: 1 << 5)
    /// Objects processed on their way out.
    package static let processing = StoreFeatures(rawValue: 1 << 6)
    /// A bucket that tells what it holds.
    package static let reports = StoreFeatures(rawValue: 1 << 7)
}
