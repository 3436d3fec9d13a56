import Glibc

/// The command's words to its user: whole texts, by write(2), to standard output and standard error.
enum Console {
    /// Writes `text` and a line feed to standard output; a reader that has gone away is no error of ours.
    static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes `ossmount: text` and a line feed to standard error.
    static func complain(_ text: String) { write("ossmount: " + text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        DescriptorWriting.writeAll(Array((text + "\n").utf8), to: descriptor)
    }
}

/// Bytes as people may see them: UTF-8 stays, what would steer a terminal or isn't UTF-8 stands as `\xNN`.
func printable(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for character in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
        switch character.value {
        case 0..<0x20, 0x7F..<0xA0: text += "\\x" + hexadecimal(UInt8(character.value))
        default: text.unicodeScalars.append(character)
        }
    }
    return text
}

private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
}

/// Whole writes to a descriptor.
enum DescriptorWriting {
    /// Writes all of `bytes`, again after a signal; gives up silently at an error, as there is nobody left to tell.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return }
                done += count
            }
        }
    }
}
