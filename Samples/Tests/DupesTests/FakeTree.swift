import SystemPackage

@testable import Dupes

/// The files and folders that a test makes up.
struct FakeTree {
  private enum Node {
    case folder([String])
    case file(inode: UInt64, text: String)
    case symbolicLink
    case pipe
  }

  private var nodes: [FilePath: Node] = [:]
  private var devices: [FilePath: UInt64] = [:]

  // MARK: Growing

  mutating func addFile(_ path: FilePath, _ text: String) {
    add(path, .file(inode: UInt64(nodes.count), text: text))
  }

  mutating func addLink(_ path: FilePath, to other: FilePath) {
    guard let node = nodes[other] else { preconditionFailure("\(other) is not there") }
    add(path, node)
  }

  mutating func addSymbolicLink(_ path: FilePath) { add(path, .symbolicLink) }

  mutating func addPipe(_ path: FilePath) { add(path, .pipe) }

  mutating func mount(_ path: FilePath, device: UInt64) { devices[path] = device }

  private mutating func add(_ path: FilePath, _ node: Node) {
    nodes[path] = node
    var path = path
    // Each folder knows the name of what is in it, up to the root.
    while let name = path.lastComponent?.string {
      path.removeLastComponent()
      var names: [String] = []
      if case .folder(let known) = nodes[path] { names = known }
      if !names.contains(name) { names.append(name) }
      nodes[path] = .folder(names)
    }
  }

  // MARK: Looking

  func entry(_ path: FilePath) throws -> Entry {
    switch nodes[path] {
    case nil: throw FileError(path, .system(.noSuchFileOrDirectory))
    case .folder: .folder(Folder(path: path, identity: folderIdentity(path)))
    case .symbolicLink: .symbolicLink(path)
    case .pipe: .special(path)
    case .file(let inode, let text):
      .file(
        File(
          path: path, identity: FileIdentity(device: device(of: path), inode: inode), size: text.utf8.count,
          // Another text has been written at another time.
          modified: .init(seconds: Int(truncatingIfNeeded: Self.hash(text)), nanoseconds: 0)))
    }
  }

  func listing(of folder: FilePath) throws -> Listing {
    guard case .folder(let names) = nodes[folder] else { throw FileError(folder, .system(.notDirectory)) }
    return Listing(entries: try names.map { try entry(folder.appending($0)) })
  }

  func bytes(of file: File, from offset: Int, count: Int) throws -> [UInt8] {
    guard case .file(_, let text) = nodes[file.path], try entry(file.path) == .file(file) else {
      throw FileError(file.path, .changed)
    }
    return Array(text.utf8.dropFirst(offset).prefix(count))
  }

  /// A folder has no other name: its path tells it from all others.
  private func folderIdentity(_ path: FilePath) -> FileIdentity {
    FileIdentity(device: device(of: path), inode: Self.hash(path.string))
  }

  /// That of the mounted folder around it, or of the first device.
  private func device(of path: FilePath) -> UInt64 {
    var path = path
    while devices[path] == nil, path.removeLastComponent() {}
    return devices[path] ?? 1
  }

  private static func hash(_ text: String) -> UInt64 { text.utf8.reduce(1 << 32) { $0 &* 31 &+ UInt64($1) } }
}
