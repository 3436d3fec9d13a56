import Testing

@testable import ObjectServer

@Suite struct AnswerTests {
    private func options(_ more: String...) throws(ServerOptions.UsageError) -> ServerOptions? {
        let arguments = ["--listen", "127.0.0.1:0", "--data", "/data", "--bucket", "bucket"] + more
        guard case .serve(let options) = try ServerOptions.parse(arguments) else { return nil }
        return options
    }

    private func complaint(_ more: String...) -> String? {
        let arguments = ["--listen", "127.0.0.1:0", "--data", "/data", "--bucket", "bucket"] + more
        do throws(ServerOptions.UsageError) {
            _ = try ServerOptions.parse(arguments)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("the first variant of each question is what holds without it") func defaults() throws {
        for question in AnswerQuestion.all {
            let first = try #require(question.variants.first)
            #expect(try AnswerQuestion.answers(["\(question.name)=\(first)"]) == ServiceAnswers())
        }
    }

    @Test("each other variant changes the answer", arguments: AnswerQuestion.all.map(\.name))
    func variants(_ name: String) throws {
        let question = try #require(AnswerQuestion.all.first { $0.name == name })
        #expect(question.variants.count >= 2)
        for variant in question.variants.dropFirst() {
            #expect(try AnswerQuestion.answers(["\(name)=\(variant)"]) != ServiceAnswers(), "\(variant)")
        }
    }

    @Test("several questions are answered on one command line") func several() throws {
        let options = try #require(try options("--answer", "wrong-region=redirect", "--answer=listing-space=+"))
        #expect(options.answers.wrongRegion == .redirect)
        #expect(options.answers.listingSpace == .plus)
        #expect(options.answers.copyACL == .fresh)
    }

    @Test("what is no question, no variant or asked twice is refused with what could be said") func mistakes() {
        #expect(complaint("--answer", "nonsense=1") == "--answer knows no nonsense")
        #expect(complaint("--answer", "checksum=1") == "--answer checksum takes one of told, absent")
        #expect(complaint("--answer", "checksum") == "--answer checksum takes one of told, absent")
        #expect(complaint("--answer", "checksum=told", "--answer", "checksum=told")?.contains("more than once") == true)
    }

    @Test("buckets elsewhere have their endpoints") func elsewhere() throws {
        let options = try #require(try options("--bucket-elsewhere", "far=host:1", "--bucket-elsewhere=away=other"))
        #expect(options.elsewhere == [Bytes("far"): Bytes("host:1"), Bytes("away"): Bytes("other")])
        #expect(complaint("--bucket-elsewhere", "far") != nil)
        #expect(complaint("--bucket-elsewhere", "Far=host") != nil)
    }

    @Test("a namespace is hierarchical only where asked for") func namespace() throws {
        let (with, without) = (try options("--hns"), try options())
        #expect(with?.isHierarchical == true)
        #expect(without?.isHierarchical == false)
        #expect(complaint("--hns=on") != nil)
    }
}

@Suite struct RevocationTests {
    private let issuer = TokenIssuer(
        account: AccessKeys(identifier: Bytes("id"), secret: Bytes("secret"), securityToken: nil))

    @Test("one pair of keys is taken back and no other") func single() {
        let (one, two) = (issuer.issue(seconds: 60, now: 0), issuer.issue(seconds: 60, now: 0))
        issuer.revocations.revoke(one.identifier, .expired)
        #expect(issuer.revocations.form(of: one.identifier) == .expired)
        #expect(issuer.revocations.form(of: two.identifier) == nil)
    }

    @Test("all keys up to now are taken back, those of an earlier server too, and later ones are good") func all() {
        let earlier = TokenIssuer(account: issuer.account).issue(seconds: 60, now: 0)
        let before = issuer.issue(seconds: 60, now: 0)
        issuer.revocations.revoke(nil, .invalid)
        let after = issuer.issue(seconds: 60, now: 0)
        #expect(issuer.revocations.form(of: earlier.identifier) == .invalid)
        #expect(issuer.revocations.form(of: before.identifier) == .invalid)
        #expect(issuer.revocations.form(of: after.identifier) == nil)
        #expect(issuer.revocations.form(of: issuer.account.identifier) == nil)
    }

    @Test("a nonce is good once within its time, and again after it") func nonces() {
        let nonces = Nonces()
        #expect(nonces.use(Bytes("a"), now: 100, window: 10))
        #expect(!nonces.use(Bytes("a"), now: 110, window: 10))
        #expect(nonces.use(Bytes("b"), now: 110, window: 10))
        #expect(nonces.use(Bytes("a"), now: 111, window: 10))
        #expect(!nonces.use(Bytes("b"), now: 112, window: 10))
    }
}
