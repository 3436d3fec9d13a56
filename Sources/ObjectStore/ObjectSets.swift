/// Many objects in one call.
package protocol ObjectSets: Sendable {
    /// Removes the objects of all `keys`, in as few requests as the service takes them; done as well for those that
    /// there were none of. Keys that stand twice are removed once.
    ///
    /// After an error some may be gone and some not; each is gone or whole.
    func deleteMany(_ keys: [ObjectKey], _ context: RequestContext) throws(ObjectStoreError)
}
