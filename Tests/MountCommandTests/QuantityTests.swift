import Testing

@testable import MountCommand

@Suite struct QuantityTests {
    @Test(
        "sizes are whole numbers with a binary unit",
        arguments: [
            ("0", 0), ("100", 100), ("100B", 100), ("4KiB", 4096), ("512MiB", 512 << 20), ("3GiB", 3 << 30),
            ("1TiB", 1 << 40),
        ] as [(String, Int64)])
    func sizes(text: String, bytes: Int64) { #expect(Quantity.size(text) == bytes) }

    @Test(
        "what could mean two sizes, or none, is refused",
        arguments: [
            "", "MiB", "1MB", "1M", "1mib", "-1MiB", "1.5GiB", "1 MiB", "9223372036854775807KiB", "٣MiB",
        ])
    func noSizes(text: String) { #expect(Quantity.size(text) == nil) }

    @Test(
        "times are whole numbers with a unit, and seconds without one",
        arguments: [
            ("0", .zero), ("10", .seconds(10)), ("500ms", .milliseconds(500)), ("10s", .seconds(10)),
            ("5m", .seconds(300)),
            ("2h", .seconds(7200)),
        ] as [(String, Duration)])
    func times(text: String, time: Duration) { #expect(Quantity.time(text) == time) }

    @Test("other words are no times", arguments: ["", "s", "1d", "1.5s", "-1s", "1 s", "99999999999999999h"])
    func noTimes(text: String) { #expect(Quantity.time(text) == nil) }

    @Test("a size is shown in the largest unit that divides it")
    func shownSizes() {
        #expect(Quantity.text(bytes: 512 << 20) == "512MiB")
        #expect(Quantity.text(bytes: 1 << 40) == "1TiB")
        #expect(Quantity.text(bytes: 1000) == "1000B")
        #expect(Quantity.text(bytes: 0) == "0")
    }

    @Test("a time is shown in the largest unit that divides it")
    func shownTimes() {
        #expect(Quantity.text(time: .seconds(300)) == "5m")
        #expect(Quantity.text(time: .milliseconds(1500)) == "1500ms")
        #expect(Quantity.text(time: .seconds(86400)) == "24h")
        #expect(Quantity.text(time: .zero) == "0")
    }

    @Test(
        "the nearest name is the one with the fewest slips, and none where all are far",
        arguments: [
            ("memroy", "memory"), ("log_level", "log-level"), ("umsak", "umask"), ("zzzzzzzz", nil), ("", nil),
        ] as [(String, String?)])
    func nearest(typed: String, name: String?) {
        #expect(NearestName.find(typed, in: OptionTable.all.map(\.name)) == name)
    }
}
