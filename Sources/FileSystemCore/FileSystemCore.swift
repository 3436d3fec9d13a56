// FileSystemCore
