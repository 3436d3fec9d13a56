import Instrumentation

/// What stands beside an object's bytes and metadata and changes without them: its size, ETag and time stay.
///
/// Tags where `StoreFeatures.tags`, access lists where `.acl`, restoring where `.restore` is among the store's; else
/// `unsupported`.
package protocol ObjectAnnotations: Sendable {
    /// The object's tags, as the service orders them.
    func tags(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [ObjectTag]

    /// Replaces all tags of the object: ten at most, names of up to 128 and values of up to 256 characters.
    func putTags(_ tags: [ObjectTag], of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError)

    /// Takes all tags away; done as well where there were none.
    func deleteTags(of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError)

    /// Who may do what with the object, as the service spells it: `private`, `public-read`; `default` is the bucket's.
    func acl(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [UInt8]

    /// Replaces the access list by another of the service's words.
    func putACL(_ acl: [UInt8], of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError)

    /// Asks that an archived object can be read for some days; an object of another class is `unsupported`.
    func restore(
        _ request: RestoreRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> RestoreOutcome
}

/// What to restore.
package struct RestoreRequest: Hashable, Sendable {
    /// How much haste, at what price; only the colder archives have a choice.
    package enum Tier: Hashable, Sendable { case expedited, standard, bulk }

    package var key: ObjectKey
    /// Days for which it can be read; nil leaves it to the service.
    package var days: Int?
    package var tier: Tier?

    package init(key: ObjectKey, days: Int? = nil, tier: Tier? = nil) {
        self.key = key
        self.days = days
        self.tier = tier
    }
}

/// What became of the wish to restore.
package enum RestoreOutcome: Hashable, Sendable {
    /// The service has begun, by this call or by one before it.
    case begun, inProgress
    /// It can be read already, and now for the days asked for.
    case readable
}

/// How far the restoring of an archived object is.
package struct Restoration: Hashable, Sendable {
    /// True until it can be read.
    package var isOngoing: Bool
    /// Until when it can be read; nil while it can't, and where the service doesn't tell.
    package var expiry: WallTime?

    package init(isOngoing: Bool, expiry: WallTime? = nil) {
        self.isOngoing = isOngoing
        self.expiry = expiry
    }
}
