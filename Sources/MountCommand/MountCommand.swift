// MountCommand
