import ObjectStore

// The further families of calls, each with the faults that are ordered for it.

extension FaultyObjectStore {
    package func deleteMany(_ keys: [ObjectKey], _ context: RequestContext) throws(ObjectStoreError) {
        try run(.deleteMany, "DeleteMultipleObjects", nil, context) { () throws(ObjectStoreError) in
            try base.deleteMany(keys, context)
        }
    }

    package func append(
        _ request: AppendRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> AppendResult {
        try run(.append, "AppendObject", request.key, context) { () throws(ObjectStoreError) in
            try base.append(request, body: body, context)
        }
    }

    package func putLink(_ request: LinkRequest, _ context: RequestContext) throws(ObjectStoreError) {
        try run(.putLink, "PutSymlink", request.key, context) { () throws(ObjectStoreError) in
            try base.putLink(request, context)
        }
    }

    package func link(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> LinkInfo {
        try run(.link, "GetSymlink", key, context) { () throws(ObjectStoreError) in
            try base.link(key, context)
        }
    }

    package func meta(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try run(.meta, "GetObjectMeta", key, context) { () throws(ObjectStoreError) in
            try base.meta(key, context)
        }
    }

    package func tags(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [ObjectTag] {
        try run(.tags, "GetObjectTagging", key, context) { () throws(ObjectStoreError) in
            try base.tags(key, context)
        }
    }

    package func putTags(
        _ tags: [ObjectTag], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try run(.putTags, "PutObjectTagging", key, context) { () throws(ObjectStoreError) in
            try base.putTags(tags, of: key, context)
        }
    }

    package func deleteTags(of key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try run(.deleteTags, "DeleteObjectTagging", key, context) { () throws(ObjectStoreError) in
            try base.deleteTags(of: key, context)
        }
    }

    package func acl(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> [UInt8] {
        try run(.acl, "GetObjectACL", key, context) { () throws(ObjectStoreError) in
            try base.acl(key, context)
        }
    }

    package func putACL(
        _ acl: [UInt8], of key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try run(.putACL, "PutObjectACL", key, context) { () throws(ObjectStoreError) in
            try base.putACL(acl, of: key, context)
        }
    }

    package func restore(
        _ request: RestoreRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> RestoreOutcome {
        try run(.restore, "RestoreObject", request.key, context) { () throws(ObjectStoreError) in
            try base.restore(request, context)
        }
    }

    package func listVersions(
        _ request: VersionListRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> VersionPage {
        try run(.listVersions, "ListObjectVersions", ObjectKey(request.prefix), context) {
            () throws(ObjectStoreError) in
            try base.listVersions(request, context)
        }
    }

    package func head(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        try run(.headVersion, "HeadObject", key, context) { () throws(ObjectStoreError) in
            try base.head(key, version: version, context)
        }
    }

    package func delete(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try run(.deleteVersion, "DeleteObject", key, context) { () throws(ObjectStoreError) in
            try base.delete(key, version: version, context)
        }
    }

    package func process(
        _ key: ObjectKey, _ instructions: [UInt8], into receiver: any StreamReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try run(.process, "GetObject", key, context) { () throws(ObjectStoreError) in
            try base.process(key, instructions, into: receiver, context)
        }
    }

    package func usage(_ context: RequestContext) throws(ObjectStoreError) -> BucketUsage {
        try run(.usage, "GetBucketStat", nil, context) { () throws(ObjectStoreError) in
            try base.usage(context)
        }
    }

    package func description(_ context: RequestContext) throws(ObjectStoreError) -> BucketDescription {
        try run(.description, "GetBucketInfo", nil, context) { () throws(ObjectStoreError) in
            try base.description(context)
        }
    }
}
