import Instrumentation
import ObjectStore
import Runtime
import Transfer

// What an object has besides bytes and metadata (class, encryption, tags, ACL), and its replacement is to have: a touch
// must not make a public picture private.

extension FileSystem {
    /// Everything that a new version of the file's object is to be given; asked for once of an object that others made.
    func properties(of file: FileContent) throws(ObjectStoreError) -> ObjectProperties {
        guard let base = file.state.withLock({ $0.base }) else { return ObjectProperties() }
        if base.hasAllProperties { return base.properties }
        let context = RequestContext(deadline: .after(configuration.deadline))
        var properties = base.properties
        if base.taggingCount > 0 {
            properties.tagging = try known([]) { () throws(ObjectStoreError) in try store.tags(base.key, context) }
        }
        if configuration.keepsACL {
            let acl = try known(Self.bucketsACL) { () throws(ObjectStoreError) in try store.acl(base.key, context) }
            if acl != Self.bucketsACL { properties.acl = acl }
        }
        file.state.withLock { state in
            guard state.base?.key == base.key, state.base?.listed.etag == base.listed.etag else { return }
            state.base?.properties = properties
            state.base?.hasAllProperties = true
        }
        return properties
    }

    /// How OSS says that an object has the bucket's ACL.
    private static let bucketsACL = Array("default".utf8)

    /// What the store says, or `other` where it has nothing to say: the object is gone, or nobody may ask.
    private func known<Value>(
        _ other: Value, _ ask: () throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        do throws(ObjectStoreError) {
            return try ask()
        } catch {
            switch error.kind {
            case .notFound, .unsupported: return other
            case .accessDenied:
                let isNews = hasToldProperties.withLock { told in
                    defer { told = true }
                    return !told
                }
                if isNews {
                    log(
                        .warning,
                        "the credentials may not read ACLs or tags: replaced objects lose them (acl=ignore asks no more)",
                        [LogField("operation", "\(error.operation)"), LogField("key", error.key?.bytes ?? [])])
                }
                return other
            default: throw error
            }
        }
    }
}
