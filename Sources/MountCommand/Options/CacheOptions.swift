import Runtime

/// Which folder of this machine a mount may use.
enum CacheFolderChoice: Sendable, Equatable {
    /// `$XDG_CACHE_HOME/ossmount`, as root `/var/cache/ossmount`; a mount does without where it can't be used.
    case standard
    /// As given; a mount is refused where it can't be used.
    case folder([UInt8])
    case none
}

extension OptionTable {
    /// 8 MiB: below it a single stream can't keep a few slabs in flight; 1 TiB: above it the number is a slip.
    private static let memoryRange: ClosedRange<Int64> = (8 << 20)...(1 << 40)
    private static let partRange: ClosedRange<Int64> = 4096...(1 << 30)
    private static let ttlRange: ClosedRange<Duration> = .zero ... .seconds(24 * 3600)

    /// 16 MiB: two parts of an upload, below which nothing is gained; 64 TiB: above it the number is a slip.
    private static let cacheRange: ClosedRange<Int64> = (16 << 20)...(64 << 40)

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
                "part-size", value: "SIZE", range: "4KiB to 1GiB", isHidden: true,
                default: Quantity.text(bytes: MountOptions().partBytes),
                help: "the first parts of an upload; small parts are for tests"
            ) { options, value throws(CommandError) in options.partBytes = try value.size(in: partRange) },
            OptionDefinition<MountOptions>(
                "part-minimum", value: "SIZE", range: "4KiB to 1GiB", isHidden: true, default: "the service's",
                help: "the least bytes of a part that the service takes; less is for tests"
            ) { options, value throws(CommandError) in options.partMinimumBytes = try value.size(in: partRange) },
            OptionDefinition<MountOptions>(
                "part-count", value: "NUMBER", range: "10 to 10000", isHidden: true, default: "the service's",
                help: "the most parts of an upload; fewer are for tests"
            ) { options, value throws(CommandError) in options.partCount = Int(try value.number(in: 10...10_000)) },
            OptionDefinition<MountOptions>(
                "metadata-ttl", value: "TIME",
                range: "0 to \(Quantity.text(time: ttlRange.upperBound))",
                default: Quantity.text(time: MountOptions().metadataTTL),
                help: "how old attributes and listings may be; opening a known file asks the server all the same"
            ) { options, value throws(CommandError) in options.metadataTTL = try value.time(in: ttlRange) },
            OptionDefinition<MountOptions>(
                "acl", value: "WORD", range: words(MountOptions.ACLs.self), default: "keep",
                help: "whether a replaced object keeps its ACL, which costs a request for each object that this mount "
                    + "didn't make"
            ) { options, value throws(CommandError) in options.acl = try value.word() },
            OptionDefinition<MountOptions>(
                "cache-dir", value: "FOLDER",
                default: "/var/cache/ossmount as root, else $XDG_CACHE_HOME/ossmount",
                help: "a folder on a local disk for parts of uploads that memory can't hold, or none (a folder of that "
                    + "name is ./none)"
            ) { options, value throws(CommandError) in
                let path = try value.path()
                options.cacheFolder = path == Array("none".utf8) ? .none : .folder(path)
            },
            OptionDefinition<MountOptions>(
                "cache-size", value: "SIZE",
                range:
                    "\(Quantity.text(bytes: cacheRange.lowerBound)) to \(Quantity.text(bytes: cacheRange.upperBound))",
                default: "10GiB, or half of what is free where that is less",
                help: "the most that one mount takes of the disk; past it uploads go on without the disk"
            ) { options, value throws(CommandError) in options.cacheBytes = try value.size(in: cacheRange) },
        ])
}
