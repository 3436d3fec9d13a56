/// What the service makes of an object on the way out (pictures scaled, say), where `StoreFeatures.processing` is among
/// the store's; else `unsupported`.
package protocol ObjectProcessing: Sendable {
    /// Sends what `instructions` make of the object to `receiver`, always whole.
    ///
    /// It has neither a size that is known before nor a version that could be asked for again: once bytes have been
    /// handed on, a connection that breaks ends the call as `unavailable`, retryable by the caller from the start.
    ///
    /// - Parameter instructions: as the service spells them, `image/resize,w_100` or `style/NAME`.
    func process(
        _ key: ObjectKey, _ instructions: [UInt8], into receiver: any StreamReceiver, _ context: RequestContext
    ) throws(ObjectStoreError)
}

/// Where a stream of unknown length goes.
///
/// Both calls come from a thread of the store, one after the other, and must not block. The bytes die with the call.
package protocol StreamReceiver: Sendable {
    /// A good answer's headers have arrived; comes once, before any bytes, also when none follow.
    ///
    /// - Parameter contentType: of what comes, which may be another one than the object's; nil where not told.
    func begin(contentType: [UInt8]?)

    /// The next bytes. False ends the call with kind `cancelled`.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
