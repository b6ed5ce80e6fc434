import SystemPackage

/// What a search has found on its way through the folders.
struct Walk: Hashable, Sendable {
  /// The folders that have been found and not been listed.
  private(set) var unvisited: [Folder] = []
  private var visited: Set<FileIdentity> = []
  /// Each file once, however many names it has: under the first of them, in the order of the bytes.
  private(set) var files: [FileIdentity: File] = [:]

  /// Adds a folder, unless it has been added already under whatever name.
  ///
  /// Folders can be met twice: one argument may be inside another one, and file systems can be mounted in a circle.
  mutating func add(_ folder: Folder) {
    if visited.insert(folder.identity).inserted { unvisited.append(folder) }
  }

  /// Adds a file.
  ///
  /// - Returns: whether it is a new one.
  mutating func add(_ file: File) -> Bool {
    guard let known = files[file.identity] else {
      files[file.identity] = file
      return true
    }
    if FilePath.precedes(file.path, known.path) { files[file.identity] = file }
    return false
  }

  mutating func takeUnvisited() -> [Folder] {
    defer { unvisited = [] }
    return unvisited
  }

  /// Takes the files out, to be compared.
  mutating func takeFiles() -> some Collection<File> & Sendable {
    defer { files = [:] }
    return files.values
  }
}
