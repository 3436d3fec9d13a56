/// Versioning of a bucket, switched on, suspended and told, and the listing of all versions.
enum VersionOperations {
    static let routes = [
        Route("PUT", .bucket, query: ["versioning"], .putBucketVersioning) { request, service in
            .receive(
                DocumentReceiver(limitBytes: 4 << 10) { document in
                    try service.folder.setVersioning(request.bucket, isEnabled: try isEnabled(document))
                    return Reply(200)
                })
        },
        Route("GET", .bucket, query: ["versioning"], .getBucketVersioning) { request, service in
            var xml = XMLWriter()
            xml.element("VersioningConfiguration") { xml in
                if let status = status(service.folder.versioning(request.bucket)) { xml.element("Status", status) }
            }
            return .reply(.xml(200, xml))
        },
        Route("GET", .bucket, query: ["versions"], .listObjectVersions) { .reply(try list($0, $1)) },
    ]

    static func status(_ versioning: Versioning) -> Bytes? {
        switch versioning {
        case .off: nil
        case .enabled: Bytes("Enabled")
        case .suspended: Bytes("Suspended")
        }
    }

    private static func isEnabled(_ document: Bytes) throws(ServiceError) -> Bool {
        var status: Bytes = []
        do throws(MalformedXML) {
            try SmallDocument.read(document) { path, text throws(MalformedXML) in
                if path == [Bytes("VersioningConfiguration"), Bytes("Status")] { status = text.trimmed }
            }
        } catch {
            throw .malformedXML("The XML you provided was not well-formed or did not validate.")
        }
        guard status.isEqual(to: "Enabled") || status.isEqual(to: "Suspended") else {
            throw .malformedXML("The status must be Enabled or Suspended.")
        }
        return status.isEqual(to: "Enabled")
    }

    private static func list(_ request: Request, _ service: Service) throws -> Reply {
        let encoding = try URLEncoding(request, service)
        var query = VersionQuery()
        query.prefix = request.query["prefix"] ?? []
        query.delimiter = request.query["delimiter"] ?? []
        query.keyMarker = request.query["key-marker"] ?? []
        query.versionMarker = request.query["version-id-marker"] ?? []
        // Unlike elsewhere, a hundred where nothing is asked for.
        query.maximum =
            request.query.contains("max-keys")
            ? Int(try URLEncoding.count(request, "max-keys", upTo: 1000)) : 100
        let page = try service.folder.versions(request.bucket, query)
        var xml = XMLWriter()
        xml.element("ListVersionsResult") { xml in
            xml.element("Name", request.bucket)
            encoding.write("Prefix", query.prefix, &xml)
            encoding.write("KeyMarker", query.keyMarker, &xml)
            xml.element("VersionIdMarker", query.versionMarker)
            xml.element("MaxKeys", query.maximum)
            encoding.write("Delimiter", query.delimiter, &xml)
            if encoding.isWanted { xml.element("EncodingType", "url") }
            xml.element("IsTruncated", page.next == nil ? "false" : "true")
            if let next = page.next {
                encoding.write("NextKeyMarker", next.key, &xml)
                xml.element("NextVersionIdMarker", next.version)
            }
            for item in page.versions { write(item, encoding, &xml) }
            for common in page.commonPrefixes {
                xml.element("CommonPrefixes") { encoding.write("Prefix", common, &$0) }
            }
        }
        return .xml(200, xml)
    }

    private static func write(_ item: VersionPage.Item, _ encoding: URLEncoding, _ xml: inout XMLWriter) {
        let object = item.version.object
        xml.element(item.version.isMarker ? "DeleteMarker" : "Version") { xml in
            encoding.write("Key", object.key, &xml)
            xml.element("VersionId", object.versionLabel)
            xml.element("IsLatest", item.isLatest ? "true" : "false")
            xml.element("LastModified", Dates.xml(object.modified))
            if !item.version.isMarker {
                xml.element("ETag", [0x22] + object.etag + [0x22])
                xml.element("Type", object.type)
                xml.element("Size", object.size)
                xml.element("StorageClass", object.storageClass)
            }
            xml.element("Owner") { BucketOperations.owner(&$0) }
        }
    }
}
