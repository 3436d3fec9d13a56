import Glibc

/// The side of a target that libFuzzer calls.
package enum Fuzzing {
    private static let isPlanted = getenv("OSSMOUNT_FUZZ_PLANT") != nil

    /// Examines one input; a finding ends the process as a crash does, so that libFuzzer keeps the input.
    package static func take(_ target: (some FuzzTarget).Type, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        do throws(Finding) {
            try target.examine(Array(UnsafeBufferPointer(start: start, count: count)), isPlanted: isPlanted)
        } catch {
            // An optimised build keeps precondition's words to itself, so they are written first.
            let words = Array("finding in \(target.name): \(error.message)\n".utf8)
            _ = words.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            abort()
        }
        return 0
    }
}
