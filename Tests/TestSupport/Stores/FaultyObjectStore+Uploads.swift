import ObjectStore

extension FaultyObjectStore {
    package func initiateUpload(
        _ request: InitiateRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadAddress {
        try run(.initiateUpload, "InitiateMultipartUpload", request.key, context) { () throws(ObjectStoreError) in
            try base.initiateUpload(request, context)
        }
    }

    package func uploadPart(
        _ address: UploadAddress, _ number: PartNumber, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        try run(.uploadPart, "UploadPart", address.key, context) { () throws(ObjectStoreError) in
            try base.uploadPart(address, number, body: body, context)
        }
    }

    package func copyPart(
        _ address: UploadAddress, _ number: PartNumber, from source: PartCopySource, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        // An order for a key fits the upload's, not the source's.
        try run(.copyPart, "UploadPartCopy", address.key, context) { () throws(ObjectStoreError) in
            try base.copyPart(address, number, from: source, context)
        }
    }

    package func listParts(
        _ address: UploadAddress, after number: PartNumber?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartPage {
        try run(.listParts, "ListParts", address.key, context) { () throws(ObjectStoreError) in
            try base.listParts(address, after: number, limit: limit, context)
        }
    }

    package func completeUpload(
        _ request: CompleteRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        try run(.completeUpload, "CompleteMultipartUpload", request.address.key, context) {
            () throws(ObjectStoreError) in
            try base.completeUpload(request, context)
        }
    }

    package func abortUpload(_ address: UploadAddress, _ context: RequestContext) throws(ObjectStoreError) {
        try run(.abortUpload, "AbortMultipartUpload", address.key, context) { () throws(ObjectStoreError) in
            try base.abortUpload(address, context)
        }
    }

    package func listUploads(
        prefix: [UInt8], after marker: UploadAddress?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadPage {
        // As with listings, an order for a key fits exactly that prefix.
        try run(.listUploads, "ListMultipartUploads", ObjectKey(prefix), context) { () throws(ObjectStoreError) in
            try base.listUploads(prefix: prefix, after: marker, limit: limit, context)
        }
    }
}
