import Glibc
import ObjectServer

exit(ServerCommand.run(CommandLine.arguments))
