import Glibc
import Instrumentation

/// Why an operation failed: the number that the caller gets, and the words that the log gets.
package struct FileSystemError: Error, Sendable {
    /// As in errno.h, positive.
    package var errno: Int32
    /// What failed and what to do; empty where the number says all.
    package var message: String
    /// Expected ones (ENOENT) are debug, what an operator can mend is warning, data at risk is error.
    package var level: LogLevel

    package init(_ errno: Int32, _ message: String = "", level: LogLevel = .debug) {
        self.errno = errno
        self.message = message
        self.level = level
    }
}
