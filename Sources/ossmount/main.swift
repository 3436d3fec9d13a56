import MountCommand

MountCommand.main()
