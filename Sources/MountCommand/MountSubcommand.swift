enum MountSubcommand { static func run(_ request: MountRequest) throws(CommandError) {} }
enum UnmountSubcommand { static func run(_ request: UnmountRequest, runtimeFolder: [UInt8]?) throws(CommandError) {} }
