/// ListParts and ListMultipartUploads.
enum UploadListings {
    /// As many as one page has, at most and unless asked for.
    private static let greatestMaximum: UInt64 = 1000

    static func parts(_ request: Request, _ service: Service) throws -> Reply {
        let id = MultipartUpload.uploadID(request)
        let maximum = try URLEncoding.count(request, "max-parts", upTo: greatestMaximum)
        let marker = try URLEncoding.count(request, "part-number-marker", upTo: 1 << 31)
        let encoding = try URLEncoding(request, service)
        let after = request.query["part-number-marker"]?.isEmpty ?? true ? 0 : Int64(marker)
        let (upload, found) = try service.folder.parts(
            request.bucket, request.key, id, after: after, maximum: Int64(maximum) + 1)
        let parts = found.prefix(Int(maximum))
        var xml = XMLWriter()
        xml.element("ListPartsResult") { xml in
            if encoding.isWanted { xml.element("EncodingType", "url") }
            xml.element("Bucket", request.bucket)
            encoding.write("Key", request.key, &xml)
            xml.element("UploadId", id)
            xml.element("StorageClass", upload.storageClass)
            xml.element("PartNumberMarker", after)
            xml.element("NextPartNumberMarker", parts.last?.number ?? after)
            xml.element("MaxParts", maximum)
            xml.element("IsTruncated", found.count > parts.count ? "true" : "false")
            for part in parts {
                xml.element("Part") { xml in
                    xml.element("PartNumber", part.number)
                    xml.element("LastModified", Dates.xml(part.modified))
                    xml.element("ETag", [0x22] + part.etag + [0x22])
                    xml.element("HashCrc64ecma", part.crc)
                    xml.element("Size", part.size)
                }
            }
        }
        return .xml(200, xml)
    }

    static func uploads(_ request: Request, _ service: Service) throws -> Reply {
        let encoding = try URLEncoding(request, service)
        var query = UploadQuery()
        query.prefix = request.query["prefix"] ?? []
        query.delimiter = request.query["delimiter"] ?? []
        query.keyMarker = request.query["key-marker"] ?? []
        // Without a key an id says nothing.
        query.idMarker = query.keyMarker.isEmpty ? [] : request.query["upload-id-marker"] ?? []
        query.maximum = Int(try URLEncoding.count(request, "max-uploads", upTo: greatestMaximum))
        query.carriesAnyKey = encoding.isWanted
        let page = try service.folder.uploads(request.bucket, query)
        var xml = XMLWriter()
        xml.element("ListMultipartUploadsResult") { xml in
            if encoding.isWanted { xml.element("EncodingType", "url") }
            xml.element("Bucket", request.bucket)
            encoding.write("KeyMarker", query.keyMarker, &xml)
            xml.element("UploadIdMarker", query.idMarker)
            encoding.write("NextKeyMarker", page.next?.key ?? [], &xml)
            xml.element("NextUploadIdMarker", page.next?.id ?? [])
            encoding.write("Delimiter", query.delimiter, &xml)
            encoding.write("Prefix", query.prefix, &xml)
            xml.element("MaxUploads", query.maximum)
            xml.element("IsTruncated", page.next == nil ? "false" : "true")
            for upload in page.uploads {
                xml.element("Upload") { xml in
                    encoding.write("Key", upload.key, &xml)
                    xml.element("UploadId", upload.id)
                    xml.element("StorageClass", upload.storageClass)
                    xml.element("Initiated", Dates.xml(upload.initiated))
                }
            }
            for common in page.commonPrefixes {
                xml.element("CommonPrefixes") { encoding.write("Prefix", common, &$0) }
            }
        }
        return .xml(200, xml)
    }
}
