import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func tags(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [ObjectTag] {
        try repeating(.getTagging, key, context) { (state) throws(AttemptFailure) in
            let sent = OSSRequest(operation: .getTagging, method: "GET", key: key, query: [QueryItem("tagging")])
            let answer = try exchange(sent, &state)
            guard let tags = Tagging.tags(answer.body) else {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, "the answer is no list of tags")
            }
            return tags
        }
    }

    package func putTags(
        _ tags: [ObjectTag], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try repeating(.putTagging, key, context) { (state) throws(AttemptFailure) in
            guard tags.allSatisfy({ XMLWriter.canCarry($0.key) && XMLWriter.canCarry($0.value) }) else {
                throw state.failure(.invalidRequest, .never, "a tag holds what XML can't carry")
            }
            let document = Tagging.document(tags)
            _ = try exchange(
                OSSRequest(
                    operation: .putTagging, method: "PUT", key: key, query: [QueryItem("tagging")],
                    headers: [HTTPHeader("Content-Type", "application/xml")], body: document,
                    transferBytes: document.count), &state)
        }
    }

    package func deleteTags(of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try repeating(.deleteTagging, key, context) { (state) throws(AttemptFailure) in
            let sent = OSSRequest(operation: .deleteTagging, method: "DELETE", key: key, query: [QueryItem("tagging")])
            _ = try exchange(sent, &state)
        }
    }

    package func acl(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [UInt8] {
        try repeating(.getACL, key, context) { (state) throws(AttemptFailure) in
            let sent = OSSRequest(operation: .getACL, method: "GET", key: key, query: [QueryItem("acl")])
            let answer = try exchange(sent, &state)
            guard let grant = ReplyFields.read(answer.body, root: "AccessControlPolicy", ["Grant"])?[0] else {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, "the answer is no access list")
            }
            return grant
        }
    }

    package func putACL(
        _ acl: [UInt8], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try repeating(.putACL, key, context) { (state) throws(AttemptFailure) in
            let header = HTTPHeader("x-oss-object-acl", try RequestHeaders.checked(acl, state))
            _ = try exchange(
                OSSRequest(
                    operation: .putACL, method: "PUT", key: key, query: [QueryItem("acl")], headers: [header],
                    body: EmptyBody()), &state)
        }
    }

    package func restore(
        _ request: RestoreRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> RestoreOutcome {
        try repeating(.restoreObject, request.key, context) { (state) throws(AttemptFailure) in
            let document = Self.document(request)
            do throws(AttemptFailure) {
                let answer = try exchange(
                    OSSRequest(
                        operation: .restoreObject, method: "POST", key: request.key, query: [QueryItem("restore")],
                        headers: [HTTPHeader("Content-Type", "application/xml")], body: document,
                        transferBytes: document.count), &state)
                return answer.head.status == 202 ? .begun : .readable
            } catch {
                // Begun by whom doesn't matter: an own attempt whose answer was lost, or somebody else.
                guard error.error.code == "RestoreAlreadyInProgress" else { throw error }
                return .inProgress
            }
        }
    }

    private static func document(_ request: RestoreRequest) -> any HTTPBody {
        guard request.days != nil || request.tier != nil else { return EmptyBody() }
        var xml = XMLWriter()
        xml.element("RestoreRequest") { xml in
            if let days = request.days { xml.element("Days", String(days).utf8) }
            guard let tier = request.tier else { return }
            xml.element("JobParameters") { xml in
                switch tier {
                case .expedited: xml.element("Tier", "Expedited".utf8)
                case .standard: xml.element("Tier", "Standard".utf8)
                case .bulk: xml.element("Tier", "Bulk".utf8)
                }
            }
        }
        return DocumentBody(xml)
    }
}
