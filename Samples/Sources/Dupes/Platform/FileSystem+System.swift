import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileSystem {
  /// The file systems of the machine that the program runs on.
  ///
  /// Its operations block the thread that they run on; see ``BlockingExecutor``.
  static var system: FileSystem {
    FileSystem(
      entry: { path in try blocking(path) { try Entry(path) } },
      list: { folder in try blocking(folder.path) { try Listing(of: folder) } },
      read: { file, offset, count in
        try blocking(file.path) { try file.bytes(from: offset, count: count) }
      }
    )
  }

  /// Runs something that blocks and can't be cancelled once it has begun.
  private static func blocking<Value>(_ path: FilePath, _ body: () throws -> Value) throws -> Value {
    try Task.checkCancellation()
    do {
      return try body()
    } catch let error as Errno {
      throw FileError(path, .system(error))
    }
  }
}

extension Entry {
  fileprivate init(_ path: FilePath) throws(Errno) {
    let status = try Stat(path, followTargetSymlink: false)
    switch status.type {
    case .directory: self = .folder(Folder(path: path, identity: FileIdentity(status)))
    case .regular: self = .file(File(path, status))
    case .symbolicLink: self = .symbolicLink(path)
    default: self = .special(path)
    }
  }
}

extension Listing {
  fileprivate init(of folder: Folder) throws(Errno) {
    guard let stream = folder.path.withPlatformString({ opendir($0) }) else { throw Errno(rawValue: errno) }
    defer { closedir(stream) }
    while let name = try Self.nextName(in: stream) {
      let path = folder.path.appending(name)
      do {
        entries.append(try Entry(path))
      } catch .noSuchFileOrDirectory {
        // The file has been removed since the folder listed its name.
      } catch {
        errors.append(FileError(path, .system(error)))
      }
    }
  }

  /// Returns the next name in a folder, except those for itself and for its parent.
  private static func nextName(in stream: Stream) throws(Errno) -> FilePath.Component? {
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return nil }
        throw Errno(rawValue: errno)
      }
      // The name goes to its null byte, wherever the system's declaration of the field ends.
      let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
      let component = FilePath.Component(platformString: name.assumingMemoryBound(to: CInterop.PlatformChar.self))
      if let component, component.kind == .regular { return component }
    }
  }

  #if canImport(Darwin)
    private typealias Stream = UnsafeMutablePointer<DIR>
  #else
    private typealias Stream = OpaquePointer
  #endif
}

extension File {
  fileprivate init(_ path: FilePath, _ status: Stat) {
    self.init(
      path: path,
      identity: FileIdentity(status),
      size: Int(status.size),
      modified: Moment(seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
    )
  }

  /// Reads a part of the file, and checks that it is still the one that was found.
  fileprivate func bytes(from offset: Int, count: Int) throws -> [UInt8] {
    // If a pipe has taken the file's place, opening it does not wait for somebody to write.
    let descriptor = try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
    return try descriptor.closeAfter {
      let bytes = try whileUnchanged(descriptor) {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
          initializedCount = try descriptor.read(
            fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
        }
      }
      guard !bytes.isEmpty else { throw FileError(path, .changed) }
      return bytes
    }
  }

  /// Calls `body` with the open file, which has to be the one that was found, before and afterwards.
  func whileUnchanged<Result>(_ descriptor: FileDescriptor, _ body: () throws -> Result) throws -> Result {
    guard File(path, try Stat(descriptor)) == self else { throw FileError(path, .changed) }
    let result = try body()
    guard File(path, try Stat(descriptor)) == self else { throw FileError(path, .changed) }
    return result
  }
}

extension FileIdentity {
  fileprivate init(_ status: Stat) {
    self.init(device: UInt64(status.deviceID.rawValue), inode: UInt64(status.inode.rawValue))
  }
}
