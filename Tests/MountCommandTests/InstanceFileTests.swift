import Glibc
import Testing

@testable import MountCommand

@Suite struct InstanceFileTests {
    /// A folder of this test's own, removed by `body`'s end.
    private func withFolder(_ body: ([UInt8]) throws -> Void) throws {
        var template = Array("/tmp/ossmount-test-XXXXXX".utf8).map { CChar(bitPattern: $0) } + [0]
        #expect(mkdtemp(&template) != nil)
        let folder = template.dropLast().map { UInt8(bitPattern: $0) }
        defer { withPath(folder) { _ = rmdir($0) } }
        try body(folder)
    }

    @Test("a status survives its line")
    func statusLine() {
        let status = DrainStatus(phase: .draining, unsentFiles: 3, openFiles: 1)
        #expect(status.line == Array("draining unsent=3 open=1\n".utf8))
        #expect(DrainStatus(line: status.line) == status)
        #expect(DrainStatus(line: Array("draining unsent=x open=1".utf8)) == nil)
        #expect(DrainStatus(line: []) == nil)
    }

    @Test("a reader sees the last line, also after the file's name is gone, and nobody holds a file left behind")
    func readAfterRemove() throws {
        try withFolder { folder in
            let file = try #require(InstanceFile(device: "0:1", folder: folder))
            let reader = try #require(InstanceReader(device: "0:1", folders: [Array("/nonexistent".utf8), folder]))
            file.write(DrainStatus(phase: .draining, unsentFiles: 12, openFiles: 0))
            file.remove()
            let late = try #require(InstanceReader(device: "0:1", folders: [folder]), "found by its descriptor")
            #expect(late.status?.unsentFiles == 12)
            late.close()
            file.write(DrainStatus(phase: .sending))
            #expect(InstanceReader(device: "0:1", folders: [folder]) == nil, "it has lost its mount")
            file.write(DrainStatus(phase: .drained))
            #expect(reader.status == DrainStatus(phase: .drained))
            #expect(InstanceReader(device: "0:2", folders: [folder]) == nil)
            #expect(withPath(folder) { access($0, F_OK) } != 0, "the empty folder stays")
            // A lock of this process never stands in its own way, as fcntl(2) has it.
            #expect(reader.holder == nil)
            reader.close()
        }
    }

    @Test("a folder that is a link is refused, as anybody can make one in /tmp")
    func linkedFolder() throws {
        try withFolder { folder in
            let link = folder + Array("/link".utf8)
            #expect(withPath(link) { path in withPath(folder) { symlink($0, path) } } == 0)
            defer { withPath(link) { _ = unlink($0) } }
            #expect(InstanceFile(device: "0:1", folder: link) == nil)
        }
    }

    @Test("files of a mount are looked for with its own user")
    func folders() {
        let text = InstanceFolder.candidates(uid: 4242, runtimeFolder: nil).map { printable($0) }
        #expect(text == ["/run/user/4242/ossmount", "/tmp/ossmount-4242"])
        #expect(InstanceFolder.candidates(uid: 0, runtimeFolder: nil) == [Array("/run/ossmount".utf8)])
    }
}

@Suite struct StartReportTests {
    private func exchange(_ write: (Int32) -> Void) -> StartReport.Outcome {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        write(ends[1])
        defer { close(ends[0]) }
        return StartReport.receive(from: ends[0], by: .after(.milliseconds(50)))
    }

    @Test("the parent learns of success, and of an error's number and words")
    func told() {
        #expect(exchange { StartReport.send(nil, to: $0) } == .told(.success, ""))
        let error = CommandError(.bucket, "no such bucket", remedy: "make it")
        #expect(exchange { StartReport.send(error, to: $0) } == .told(.bucket, "no such bucket\n  make it"))
    }

    @Test("a child that dies without a word is told from one that is late")
    func silence() {
        #expect(exchange { close($0) } == .died)
        var kept: Int32 = -1
        #expect(exchange { kept = $0 } == .late)
        close(kept)
    }
}
