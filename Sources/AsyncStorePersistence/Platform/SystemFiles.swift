import CAsyncStorePersistence
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The operating system's files.
package struct SystemFiles: FileOperations {
  /// Gives a file an owner and a group.
  package typealias ChangeOwner = @Sendable (_ file: Int32, _ owner: uid_t, _ group: gid_t) -> Int32

  /// Gives a file the access list of another file, and returns the list's length; -1 if the file may have a different
  /// list.
  package typealias CopyAccessList = @Sendable (_ model: String, _ file: Int32) -> Int

  private let changeOwner: ChangeOwner
  private let copyAccessList: CopyAccessList

  /// - Parameters:
  ///   - changeOwner: changes the owner of a file; by default the system call.
  ///   - copyAccessList: copies an access list; by default with the system calls.
  package init(
    changeOwner: @escaping ChangeOwner = { fchown($0, $1, $2) },
    copyAccessList: @escaping CopyAccessList = { asyncStorePersistence_copyAccessList($0, $1) }
  ) {
    self.changeOwner = changeOwner
    self.copyAccessList = copyAccessList
  }

  package func resolve(_ path: String) throws -> String {
    var path = path
    // The maximum number of links that Linux follows.
    for _ in 0..<40 {
      guard let target = try target(ofLink: path) else { return path }
      // By bytes, because a combining mark would form one character with the `/` before it.
      path = target.utf8.first == UInt8(ascii: "/") ? target : FilePaths(file: path).directory + "/" + target
    }
    throw FileError.failed(call: "readlink", path: path, reason: String(cString: strerror(ELOOP)))
  }

  /// Returns the target of a symbolic link, or `nil` if the path is not one.
  ///
  /// By hand, because `FileManager` repairs a target that is not UTF-8, and then names another file.
  private func target(ofLink path: String) throws -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    guard let target = String(validating: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
      throw FileError.failed(call: "readlink", path: path, reason: "The name of its target is not UTF-8")
    }
    return target
  }

  package func exists(_ path: String) throws -> Bool {
    var status = stat()
    let result = stat(path, &status)
    if result < 0, errno == ENOENT { return false }
    try check(result, "stat", path)
    return true
  }

  package func read(_ path: String, limit: Int) throws -> Data? {
    // Don't wait for a pipe.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    try check(file, "open", path)
    defer { close(file) }
    var status = stat()
    try check(fstat(file, &status), "stat", path)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError.failed(call: "open", path: path, reason: "Not a regular file")
    }
    let size = Int(status.st_size)
    guard size <= limit else { throw FileError.tooLarge(path: path, size: size, limit: limit) }
    var data = Data(capacity: size)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try retrying("read", path) { systemRead(file, &buffer, buffer.count) }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
      // The file may grow while it is read.
      guard data.count <= limit else { throw FileError.tooLarge(path: path, size: data.count, limit: limit) }
    }
  }

  package func create(_ path: String, _ data: Data, like model: String) throws {
    var status = stat()
    let result = stat(model, &status)
    let hasModel = result == 0
    if !hasModel, errno != ENOENT { try check(result, "stat", model) }
    // Nobody else can read the file before it has the model's permissions.
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, hasModel ? 0o600 : 0o644)
    try check(file, "open", path)
    do {
      if hasModel { try check(fchmod(file, takeRights(file, of: model, status)), "chmod", path) }
      var rest = data[...]
      while !rest.isEmpty {
        let count = try rest.withUnsafeBytes { bytes in
          // Darwin refuses to write more at a time.
          try retrying("write", path) { systemWrite(file, bytes.baseAddress, min(bytes.count, 1 << 30)) }
        }
        rest = rest.dropFirst(count)
      }
      try sync(file, path)
    } catch {
      close(file)
      throw error
    }
    try check(close(file), "close", path)
  }

  /// Gives a file the owner, the group and the access list of another file, as far as this process may.
  ///
  /// - Returns: the permissions that the file may then have; a group other than the model's gets none.
  private func takeRights(_ file: Int32, of model: String, _ status: stat) -> mode_t {
    let mode = status.st_mode & 0o7777
    let keep = uid_t.max
    // Only a privileged process can give files away, but an owner may choose among its own groups.
    let hasOwner = changeOwner(file, status.st_uid, status.st_gid) == 0
    let hasGroup = hasOwner || changeOwner(file, keep, status.st_gid) == 0
    // If there is a list, the group bits limit everyone whom the list names.
    let list = copyAccessList(model, file)
    if list < 0 || list > 0 && !hasGroup { return mode & 0o1700 }
    if hasOwner { return mode }
    if hasGroup { return mode & 0o1777 }
    // A member of the model's group now counts as one of the others, and must get no more rights than before.
    return mode & 0o1700 | mode & (mode >> 3) & 0o7
  }

  package func link(_ path: String, as other: String) throws {
    let result = systemLink(path, other)
    // The other name is beside the file, and yet on another device.
    if result < 0, errno == EXDEV { throw FileError.mountPoint(call: "link", path: path) }
    if result < 0, [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) { throw FileError.notSupported }
    try check(result, "link", path)
  }

  package func rename(_ path: String, to other: String) throws {
    let result = systemRename(path, other)
    if result < 0, errno == EBUSY { throw FileError.mountPoint(call: "rename", path: other) }
    try check(result, "rename", path)
  }

  package func remove(_ path: String) throws {
    let result = unlink(path)
    if result < 0, errno == ENOENT { return }
    try check(result, "unlink", path)
  }

  package func names(in directory: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return []
    } catch let error as CocoaError {
      // Reported in the same words as all other errors.
      let cause = error.underlying as? POSIXError
      let code = cause?.code.rawValue ?? (error.code == .fileReadNoPermission ? EACCES : EIO)
      throw FileError.failed(call: "opendir", path: directory, reason: String(cString: strerror(code)))
    }
  }

  package func makeDirectory(_ path: String) throws {
    let parent = FilePaths(file: path).directory
    var result = mkdir(path, 0o777)
    if result < 0, errno == ENOENT, parent != path {
      try makeDirectory(parent)
      // It is tried once more and not again, because a dangling symbolic link exists and is not a directory.
      result = mkdir(path, 0o777)
    }
    if result == 0 { return try syncDirectory(parent) }
    // The existing item may be something else; the next operation reports that.
    if errno != EEXIST { try check(-1, "mkdir", path) }
  }

  package func syncDirectory(_ path: String) throws {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(directory, "open", path)
    defer { close(directory) }
    try sync(directory, path)
  }

  // MARK: Shared helpers

  /// Waits until the data is on the disk itself.
  private func sync(_ file: Int32, _ path: String) throws {
    #if canImport(Darwin)
      if fcntl(file, F_FULLFSYNC) != -1 { return }
    #endif
    _ = try retrying("fsync", path) { Int(fsync(file)) }
  }

  func retrying(_ call: String, _ path: String, _ body: () -> Int) throws -> Int {
    while true {
      let result = body()
      if result < 0, errno == EINTR { continue }
      try check(Int32(clamping: result), call, path)
      return result
    }
  }

  func check(_ result: Int32, _ call: String, _ path: String) throws {
    if result >= 0 { return }
    throw FileError.failed(call: call, path: path, reason: String(cString: strerror(errno)))
  }
}

// The C functions, whose names are hidden by this type's methods.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
private func systemRename(_ path: String, _ other: String) -> Int32 { rename(path, other) }
