import Glibc

exit(CallLoop().run())
