extension OptionTable {
    /// From what a near server never takes to what nobody waits for.
    private static let requestTimeoutRange: ClosedRange<Duration> = .milliseconds(100) ... .seconds(600)

    static let serverOptions = OptionHeading(
        title: "Server",
        options: [
            OptionDefinition<MountOptions>(
                "endpoint", value: "URL", default: "made of the region",
                help: "where the service answers: a host or a URL, without the bucket; also OSS_ENDPOINT"
            ) { options, value throws(CommandError) in options.endpoint = try Array(value.text().utf8) },
            OptionDefinition<MountOptions>(
                "region", value: "NAME", default: "read from the endpoint",
                help: "the bucket's region, as in cn-hangzhou; only signature version 4 needs it; also OSS_REGION"
            ) { options, value throws(CommandError) in options.region = try value.text() },
            OptionDefinition<MountOptions>(
                "addressing", value: "FORM", range: words(MountOptions.Addressing.self), default: "auto",
                help:
                    "where the bucket's name goes: into the host, into the path, or nowhere (cname: the endpoint is the "
                    + "bucket's own domain); auto takes the path for addresses and localhost, else the host"
            ) { options, value throws(CommandError) in options.addressing = try value.word() },
            OptionDefinition<MountOptions>(
                "signature", value: "VERSION", range: words(MountOptions.Signature.self), default: "auto",
                help: "how requests are signed; auto is v4 where the region is known, else v1"
            ) { options, value throws(CommandError) in options.signature = try value.word() },
            OptionDefinition<MountOptions>(
                "ca-file", value: "FILE", default: "the system's",
                help: "certificates in PEM to trust instead of the system's"
            ) { options, value throws(CommandError) in options.caFile = try value.path() },
            OptionDefinition<MountOptions>(
                "request-timeout", value: "TIME",
                range: "\(Quantity.text(time: requestTimeoutRange.lowerBound)) to "
                    + Quantity.text(time: requestTimeoutRange.upperBound),
                default: Quantity.text(time: MountOptions().requestTimeout),
                help: "how long the server may stay silent before a request is sent again, over another connection"
            ) { options, value throws(CommandError) in
                options.requestTimeout = try value.time(in: requestTimeoutRange)
            },
        ])

    /// `auto, virtual, path, cname`.
    static func words<Words: RawRepresentable & CaseIterable>(_: Words.Type) -> String
    where Words.RawValue == String {
        Words.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
