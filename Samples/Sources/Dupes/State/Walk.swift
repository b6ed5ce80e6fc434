import SystemPackage

/// The files and folders that a search has found.
struct Walk: Hashable, Sendable {
  /// The folders that have been found and not been listed.
  private(set) var unvisited: [Folder] = []
  private var visited: Set<FileIdentity> = []
  /// The files, each once under the first of its names, in the order of the bytes.
  private(set) var files: [FileIdentity: File] = [:]

  /// Adds a folder, unless it has been added already under any name.
  ///
  /// Folders can be met twice: one argument may be inside another one, and file systems can be mounted in a cycle.
  mutating func add(_ folder: Folder) {
    if visited.insert(folder.identity).inserted { unvisited.append(folder) }
  }

  /// Adds a file.
  ///
  /// - Returns: true if it is a new one.
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

  /// Takes out the files, to compare them.
  mutating func takeFiles() -> some Collection<File> & Sendable {
    defer { files = [:] }
    return files.values
  }
}
