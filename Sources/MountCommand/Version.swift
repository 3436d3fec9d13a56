/// The version of this program; README's Changes lists what each brought.
enum Version {
    static let number = "0.1.0"
}
