import Runtime

extension OptionTable {
    /// 8 MiB: below it a single stream can't keep a few slabs in flight; 1 TiB: above it the number is a slip.
    private static let memoryRange: ClosedRange<Int64> = (8 << 20)...(1 << 40)
    private static let ttlRange: ClosedRange<Duration> = .zero ... .seconds(24 * 3600)

    static let cacheOptions = OptionHeading(
        title: "Memory and caches",
        options: [
            OptionDefinition<MountOptions>(
                "memory", value: "SIZE",
                range:
                    "\(Quantity.text(bytes: memoryRange.lowerBound)) to \(Quantity.text(bytes: memoryRange.upperBound))",
                default: Quantity.text(bytes: MountOptions().memoryBytes),
                help: "the budget of all data buffers together; short of it, reading ahead shrinks and writers wait"
            ) { options, value throws(CommandError) in options.memoryBytes = try value.size(in: memoryRange) },
            OptionDefinition<MountOptions>(
                "block-size", value: "SIZE", range: "a power of two from 4KiB to 1MiB", isHidden: true,
                default: Quantity.text(bytes: Int64(MountOptions().blockBytes)),
                help: "how files are cut in memory; small blocks are for tests"
            ) { options, value throws(CommandError) in
                let range = SlabPool.slabRange
                let size = try value.size(in: Int64(range.lowerBound)...Int64(range.upperBound))
                guard size.nonzeroBitCount == 1 else { throw value.problem("is a power of two") }
                options.blockBytes = Int(size)
            },
            OptionDefinition<MountOptions>(
                "metadata-ttl", value: "TIME",
                range: "0 to \(Quantity.text(time: ttlRange.upperBound))",
                default: Quantity.text(time: MountOptions().metadataTTL),
                help: "how old attributes and listings may be; opening a known file asks the server all the same"
            ) { options, value throws(CommandError) in options.metadataTTL = try value.time(in: ttlRange) },
        ])
}
