/// What a client asks of the bucket itself before it works with it.
enum BucketOperations {
    static let routes = [
        Route("GET", .bucket, query: ["bucketInfo"], .getBucketInfo) { request, service in
            .reply(.xml(200, info(request, service)))
        },
        Route("GET", .bucket, query: ["location"], .getBucketLocation) { _, service in
            var xml = XMLWriter()
            xml.element("LocationConstraint", location(service))
            return .reply(.xml(200, xml))
        },
    ]

    /// One owner owns everything here.
    static let ownerID: StaticString = "1234567890123456"

    private static func location(_ service: Service) -> Bytes { Bytes("oss-") + service.region }

    private static func info(_ request: Request, _ service: Service) -> XMLWriter {
        let host = request.headers["host"] ?? []
        var xml = XMLWriter()
        xml.element("BucketInfo") { xml in
            xml.element("Bucket") { xml in
                xml.element("Name", request.bucket)
                xml.element("Location", location(service))
                xml.element("CreationDate", Dates.xml(service.folder.birth(ofBucket: request.bucket) ?? 0))
                xml.element("ExtranetEndpoint", endpoint(host, request))
                xml.element("IntranetEndpoint", endpoint(host, request))
                xml.element("StorageClass", "Standard")
                xml.element("DataRedundancyType", "LRS")
                xml.element("AccessMonitor", "Disabled")
                xml.element("TransferAcceleration", "Disabled")
                xml.element("CrossRegionReplication", "Disabled")
                if let status = VersionOperations.status(service.folder.versioning(request.bucket)) {
                    xml.element("Versioning", status)
                }
                if service.isHierarchical, service.answers.namespaceFlag == .told {
                    xml.element("HierarchicalNamespace", "Enabled")
                }
                xml.element("Owner") { owner(&$0) }
                xml.element("AccessControlList") { $0.element("Grant", "private") }
                xml.element("ServerSideEncryptionRule") { $0.element("SSEAlgorithm", "None") }
                xml.element("BucketPolicy") { xml in
                    xml.element("LogBucket", "")
                    xml.element("LogPrefix", "")
                }
            }
        }
        return xml
    }

    /// The host by which this server was reached, without the bucket's label.
    private static func endpoint(_ host: Bytes, _ request: Request) -> Bytes {
        request.isVirtualHosted ? Bytes(host.dropFirst(request.bucket.count + 1)) : host
    }

    static func owner(_ xml: inout XMLWriter) {
        xml.element("ID", ownerID)
        xml.element("DisplayName", ownerID)
    }
}
