import FuzzSupport

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
package func examineOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Fuzzing.take(ServerRequests.self, start, count)
}
