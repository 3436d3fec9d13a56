import Runtime

/// ListBuckets, and what a bucket holds in all.
enum AccountOperations {
    static let routes = [
        Route("GET", .service, .listBuckets) { .reply(try list($0, $1)) },
        Route("GET", .bucket, query: ["stat"], .getBucketStat) { .reply(try stat($0, $1)) },
    ]

    private static func list(_ request: Request, _ service: Service) throws -> Reply {
        let prefix = request.query["prefix"] ?? []
        let marker = request.query["marker"] ?? []
        let maximum = Int(try URLEncoding.count(request, "max-keys", upTo: 1000))
        let after = service.folder.bucketNames.filter { $0.hasPrefix(prefix) && precedes(marker, $0) }
        let page = after.prefix(maximum)
        let host = request.headers["host"] ?? []
        var xml = XMLWriter()
        xml.element("ListAllMyBucketsResult") { xml in
            xml.element("Prefix", prefix)
            xml.element("Marker", marker)
            xml.element("MaxKeys", maximum)
            xml.element("IsTruncated", after.count > page.count ? "true" : "false")
            if after.count > page.count { xml.element("NextMarker", page.last ?? []) }
            xml.element("Owner") { BucketOperations.owner(&$0) }
            xml.element("Buckets") { xml in
                for name in page {
                    xml.element("Bucket") { xml in
                        xml.element("Name", name)
                        xml.element("CreationDate", Dates.xml(service.folder.birth(ofBucket: name) ?? 0))
                        xml.element("Location", Bytes("oss-") + service.region)
                        xml.element("Region", service.region)
                        xml.element("StorageClass", "Standard")
                        xml.element("ExtranetEndpoint", host)
                        xml.element("IntranetEndpoint", host)
                    }
                }
            }
        }
        return .xml(200, xml)
    }

    private static func stat(_ request: Request, _ service: Service) throws -> Reply {
        let seconds: Int64 = service.answers.bucketStat == .hourly ? 3600 : 0
        let stat = try service.statistics.get(request.bucket, now: service.clock.now, keptFor: seconds) {
            try service.folder.stat(request.bucket)
        }
        let total = stat.classes.reduce((objects: Int64(0), bytes: Int64(0))) {
            ($0.objects + $1.objects, $0.bytes + $1.bytes)
        }
        var xml = XMLWriter()
        xml.element("BucketStat") { xml in
            xml.element("Storage", total.bytes)
            xml.element("ObjectCount", total.objects)
            xml.element("MultipartUploadCount", stat.uploads)
            xml.element("MultipartPartCount", stat.parts)
            xml.element("LiveChannelCount", 0)
            xml.element("LastModifiedTime", stat.lastModified)
            func write(_ name: StaticString, _ storage: StaticString, _ count: StaticString) {
                let found = stat.classes.first { $0.name.isEqual(to: name) }
                xml.element(storage, found?.bytes ?? 0)
                xml.element(count, found?.objects ?? 0)
            }
            write("Standard", "StandardStorage", "StandardObjectCount")
            write("IA", "InfrequentAccessStorage", "InfrequentAccessObjectCount")
            write("Archive", "ArchiveStorage", "ArchiveObjectCount")
            write("ColdArchive", "ColdArchiveStorage", "ColdArchiveObjectCount")
            write("DeepColdArchive", "DeepColdArchiveStorage", "DeepColdArchiveObjectCount")
        }
        return .xml(200, xml)
    }
}

/// What GetBucketStat told last, for a service that counts now and then only. Safe from any thread.
final class KeptStatistics: Sendable {
    // What was counted and when; a leaf, which isn't held while counting.
    private let kept = Locked<[Bytes: (stat: BucketStat, moment: Int64)]>([:])

    /// What was counted less than `seconds` ago, or what `count` gives now.
    func get(_ bucket: Bytes, now: Int64, keptFor seconds: Int64, count: () throws -> BucketStat) throws -> BucketStat {
        if let known = kept.withLock({ $0[bucket] }), now - known.moment < seconds { return known.stat }
        let stat = try count()
        kept.withLock { $0[bucket] = (stat, now) }
        return stat
    }
}
