import Testing

@testable import MountCommand

@Suite struct OpenFilesTests {
    @Test("the mount of a descriptor is the number after mnt_id in its fdinfo")
    func mountID() {
        #expect(OpenFiles.mountID(inFdinfo: Array("pos:\t0\nflags:\t02\nmnt_id:\t57\nino:\t5\n".utf8)) == 57)
        #expect(OpenFiles.mountID(inFdinfo: Array("pos:\t0\n".utf8)) == nil)
    }
}
