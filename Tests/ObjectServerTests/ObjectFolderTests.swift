import Foundation
import Testing

@testable import ObjectServer

/// A folder on disk that is gone after the test.
private final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.path + "/ossmount-folder-\(UUID().uuidString)"
    let bucket = Bytes("bucket")

    func open() throws -> ObjectFolder { try ObjectFolder(path: path, buckets: [bucket]) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var bodyCount: Int {
        let names = FileManager.default.enumerator(atPath: path + "/bodies")?.allObjects as? [String] ?? []
        return names.filter { $0.contains("/") }.count
    }
}

@Suite struct ObjectFolderTests {
    private func put(_ folder: ObjectFolder, _ bucket: Bytes, _ key: String, _ data: String) throws {
        let writer = BodyWriter(folder.bodies, folder.newBody(), expectedBytes: nil, alwaysDigests: false)
        try Bytes(data.utf8).withUnsafeBytes { try writer.write($0) }
        let (body, _) = writer.finish()
        let object = StoredObject(
            key: Bytes(key.utf8), size: writer.size, crc: writer.crc, etag: Bytes("E"), md5: [], modified: 1,
            type: Bytes("Normal"), storageClass: Bytes("Standard"), acl: Bytes("default"), tagging: [],
            fields: Fields(packed: Bytes("x-oss-meta-a\u{0}1\u{0}".utf8)), pieces: [Piece](body, length: writer.size))
        try folder.put(bucket, object) { _ in }
    }

    private func read(_ folder: ObjectFolder, _ bucket: Bytes, _ key: String) throws -> String? {
        guard try folder.object(bucket, Bytes(key.utf8)) != nil else { return nil }
        let (object, reader) = try folder.open(bucket, Bytes(key.utf8))
        var bytes = Bytes(repeating: 0, count: Int(object.size))
        var done = 0
        while done < bytes.count {
            let moved = try bytes.withUnsafeMutableBytes { buffer in
                try reader.read(at: UInt64(done), into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            }
            guard moved > 0 else { return nil }
            done += moved
        }
        return bytes.text
    }

    @Test("uploads of a folder from before they could be sequential are there, and are not") func upgrades() throws {
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        try Database(path: place.path + "/index.sqlite").execute(
            """
            CREATE TABLE uploads(
                bucket BLOB NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL, initiated INTEGER NOT NULL,
                class BLOB NOT NULL, acl BLOB NOT NULL, tagging BLOB NOT NULL, fields BLOB NOT NULL,
                forbids INTEGER NOT NULL, PRIMARY KEY(bucket, key, id)) WITHOUT ROWID;
            INSERT INTO uploads VALUES(CAST('bucket' AS BLOB), CAST('k' AS BLOB), CAST('id' AS BLOB), 1, x'', x'', x'', x'', 1);
            PRAGMA user_version=3
            """)
        for _ in 0..<2 {
            let upload = try #require(try place.open().upload(place.bucket, Bytes("k"), Bytes("id")))
            #expect(upload.forbidsOverwrite)
            #expect(!upload.isSequential)
        }
    }

    @Test("objects are there after the folder was closed and opened") func persists() throws {
        let place = TemporaryFolder()
        try put(place.open(), place.bucket, "k", "data")
        let folder = try place.open()
        #expect(try read(folder, place.bucket, "k") == "data")
        #expect(try folder.object(place.bucket, Bytes("k"))?.fields["x-oss-meta-a"] == Bytes("1"))
    }

    @Test("a body that was replaced is gone, one without a row is swept at the next start") func sweeps() throws {
        let place = TemporaryFolder()
        do {
            let folder = try place.open()
            try put(folder, place.bucket, "k", "old")
            try put(folder, place.bucket, "k", "new")
            #expect(place.bodyCount == 1)
            let orphan = BodyWriter(folder.bodies, folder.newBody(), expectedBytes: nil, alwaysDigests: false)
            try Bytes("orphan").withUnsafeBytes { try orphan.write($0) }
            #expect(place.bodyCount == 2)
        }
        let folder = try place.open()
        #expect(place.bodyCount == 1)
        #expect(try read(folder, place.bucket, "k") == "new")
    }

    @Test("who has an object open reads on when it is replaced") func readersGoOn() throws {
        let place = TemporaryFolder()
        let folder = try place.open()
        try put(folder, place.bucket, "k", "old")
        let opened = try folder.open(place.bucket, Bytes("k"))
        try put(folder, place.bucket, "k", "new")
        try put(folder, place.bucket, "k", "newer")
        var bytes = Bytes(repeating: 0, count: 3)
        #expect(try bytes.withUnsafeMutableBytes { try opened.reader.read(at: 0, into: $0) } == 3)
        #expect(bytes.text == "old")
    }

    @Test("a check that refuses leaves the old object") func refusedPut() throws {
        let place = TemporaryFolder()
        let folder = try place.open()
        try put(folder, place.bucket, "k", "old")
        var object = try #require(try folder.object(place.bucket, Bytes("k")))
        object.pieces = []
        #expect(throws: ServiceError.self) {
            try folder.put(place.bucket, object) { _ in throw ServiceError.fileAlreadyExists }
        }
        #expect(try read(folder, place.bucket, "k") == "old")
    }

    @Test("a copy shares the bytes and outlives its source") func copies() throws {
        let place = TemporaryFolder()
        let folder = try place.open()
        try put(folder, place.bucket, "from", "data")
        let (from, to) = ((place.bucket, Bytes("from")), (place.bucket, Bytes("to")))
        _ = try folder.copy(from: from, to: to) { original, _ in original }
        _ = try folder.copy(from: to, to: to) { original, _ in original }
        _ = try folder.delete(place.bucket, Bytes("from"), version: nil, now: 1)
        _ = try folder.delete(place.bucket, Bytes("never"), version: nil, now: 1)
        #expect(try read(folder, place.bucket, "to") == "data")
        #expect(try read(folder, place.bucket, "from") == nil)
        #expect(place.bodyCount == 1)
    }

    @Test("a folder that was made before there were parts is still read") func olderFolder() throws {
        let place = TemporaryFolder()
        do {
            let folder = try place.open()
            try put(folder, place.bucket, "k", "data")
        }
        do {
            let database = try Database(path: place.path + "/index.sqlite")
            try database.execute(
                """
                ALTER TABLE objects DROP COLUMN pieces; ALTER TABLE objects DROP COLUMN link;
                ALTER TABLE objects DROP COLUMN restored; ALTER TABLE objects DROP COLUMN thawed;
                ALTER TABLE objects DROP COLUMN version; DROP TABLE history; DROP TABLE uploads; DROP TABLE parts; PRAGMA user_version=1;
                """)
        }
        let folder = try place.open()
        #expect(try read(folder, place.bucket, "k") == "data")
        #expect(place.bodyCount == 1)
    }

    @Test("an upload's parts are kept over a start, and unlinked when it is given up") func partsAreKept() throws {
        let place = TemporaryFolder()
        let (key, id) = (Bytes("k"), Bytes("ID"))
        do {
            let folder = try place.open()
            let upload = StoredUpload(
                id: id, key: key, initiated: 1, storageClass: [], acl: [], tagging: [], fields: Fields(),
                forbidsOverwrite: false)
            try folder.begin(place.bucket, upload)
            for number in [1, 2, 1] as [Int64] {
                let writer = BodyWriter(folder.bodies, folder.newBody(), expectedBytes: nil, alwaysDigests: false)
                try Bytes("part").withUnsafeBytes { try writer.write($0) }
                let pieces = [Piece](writer.finish().body, length: writer.size)
                let part = StoredPart(
                    number: number, size: 4, crc: writer.crc, etag: Bytes("E"), modified: 1, pieces: pieces)
                try folder.put(place.bucket, key, id, part)
            }
            #expect(place.bodyCount == 2)
        }
        let folder = try place.open()
        #expect(place.bodyCount == 2)
        try folder.abort(place.bucket, key, id)
        #expect(place.bodyCount == 0)
        #expect(throws: ServiceError.self) { try folder.abort(place.bucket, key, id) }
    }

    @Test("keys that differ in bytes alone are two objects") func keysAreBytes() throws {
        let place = TemporaryFolder()
        let folder = try place.open()
        try put(folder, place.bucket, "caf\u{E9}", "one")
        try put(folder, place.bucket, "cafe\u{301}", "two")
        #expect(try read(folder, place.bucket, "caf\u{E9}") == "one")
        #expect(try folder.list(place.bucket, ListingQuery()).objects.count == 2)
    }
}
