/// One question of `--answer NAME=VARIANT`: the names of its variants, the default first, and what they mean.
struct AnswerQuestion: Sendable {
    let name: String
    let variants: [String]
    let meaning: String
    /// False where the word is none of the variants.
    let choose: @Sendable (inout ServiceAnswers, String) -> Bool

    private init<Variant: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String, _ answer: WritableKeyPath<ServiceAnswers, Variant> & Sendable, _ meaning: String
    ) where Variant.RawValue == String {
        self.name = name
        variants = Variant.allCases.map(\.rawValue)
        self.meaning = meaning
        choose = { answers, word in
            guard let variant = Variant(rawValue: word) else { return false }
            answers[keyPath: answer] = variant
            return true
        }
    }

    static let all: [AnswerQuestion] = [
        .init("wrong-region", \.wrongRegion, "a bucket that is --bucket-elsewhere: 403 AccessDenied or 301"),
        .init("far-date", \.farDate, "date too far off in V4: 403 RequestTimeTooSkewed or 400 InvalidArgument"),
        .init("mismatch", \.mismatch, "SignatureDoesNotMatch with what was signed, or without"),
        .init(
            "expired-token", \.expiredToken,
            "SecurityTokenExpired, InvalidSecurityToken, InvalidAccessKeyId,\nor AccessDenied told apart by its EC alone"
        ),
        .init("listing-space", \.listingSpace, "a blank where encoding-type is url"),
        .init("listings", \.listings, "when they show what was put or deleted: at once, or two seconds later"),
        .init("first-page", \.firstPage, "of listings by version 2; an empty one says that there is more"),
        .init("delete-many", \.deleteMany, "DeleteMultipleObjects does all, or the first half and tells so"),
        .init("delete-document", \.deleteDocument, "the longest document of that"),
        .init(
            "write-conditions", \.writeConditions,
            "If-Match and If-None-Match of PutObject, CopyObject and\nCompleteMultipartUpload; refused is 501 NotImplemented"
        ),
        .init("forbid-overwrite", \.forbidOverwrite, "x-oss-forbid-overwrite in buckets with versions"),
        .init(
            "copy-appendable", \.copyAppendable,
            "an Appendable object as a copy's source: everywhere, in buckets\nwithout versions only, or nowhere"),
        .init("part-copy-appendable", \.partCopyAppendable, "the same as a part's source"),
        .init("copy-acl", \.copyACL, "the ACL of a copy for which none is asked"),
        .init("copy-class-limit", \.copyClassLimit, "the longest copy into another class: --part-maximum, or a fifth"),
        .init("append-metadata", \.appendMetadata, "whose x-oss-meta-* an Appendable object has"),
        .init("restore-status", \.restoreStatus, "of RestoreObject; by-state: 202 for a new one, 200 for a longer one"),
        .init("checksum", \.checksum, "x-oss-hash-crc64ecma of GET and HEAD"),
        .init("bucket-stat", \.bucketStat, "how old the numbers of GetBucketStat may be"),
        .init("hns-flag", \.namespaceFlag, "HierarchicalNamespace in GetBucketInfo of a bucket with --hns"),
        .init("hns-refusal", \.namespaceRefusal, "Rename and its like without --hns: 403 AccessDenied or 501"),
        .init("rename-source", \.renameSource, "how x-oss-rename-source is read"),
    ]

    /// The lines of `--help`.
    static var help: String {
        all.map { question in
            let choice = "    \(question.name)=\(question.variants.joined(separator: "|"))"
            let lines = question.meaning.split(separator: "\n").map { "        \($0)\n" }.joined()
            return choice + "\n" + lines
        }.joined()
    }

    /// The answers that `NAME=VARIANT` in turn choose.
    static func answers(_ choices: [String]) throws(ServerOptions.UsageError) -> ServiceAnswers {
        var answers = ServiceAnswers()
        var seen: Set<String> = []
        for choice in choices {
            let pair = choice.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            guard let question = all.first(where: { $0.name == pair[0] }) else {
                throw ServerOptions.UsageError(message: "--answer knows no \(pair[0])")
            }
            guard pair.count == 2, question.choose(&answers, pair[1]) else {
                throw ServerOptions.UsageError(
                    message: "--answer \(question.name) takes one of \(question.variants.joined(separator: ", "))")
            }
            guard seen.insert(question.name).inserted else {
                throw ServerOptions.UsageError(message: "--answer \(question.name) is given more than once")
            }
        }
        return answers
    }
}
