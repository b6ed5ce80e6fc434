import SystemPackage

/// A search for duplicates: how far it is, what it has found.
struct Search: Hashable, Sendable {
  var progress = Progress()
  var walk = Walk()
  var sieve = Sieve()
  /// What has been found for good.
  var groups: [DuplicateGroup] = []
  var errors: [FileError] = []

  /// Notes that something could not be looked at.
  mutating func note(_ error: FileError) {
    errors.append(error)
    progress.problems += 1
  }

  // MARK: Walking

  /// Takes in what was found.
  mutating func add(_ entry: Entry, _ options: SearchOptions) {
    switch entry {
    case .folder(let folder):
      walk.add(folder)
    case .file(let file):
      guard file.size >= options.minimumSize, walk.add(file) else { return }
      progress.found.files += 1
      progress.found.bytes += file.size
    case .symbolicLink, .special:
      break
    }
  }

  /// Takes in what is in a folder.
  mutating func add(_ listing: Listing, of folder: Folder, _ options: SearchOptions) {
    progress.folders += 1
    listing.errors.forEach { note($0) }
    for entry in listing.entries where !options.isOneFileSystem || entry.device == folder.identity.device {
      add(entry, options)
    }
  }

  // MARK: Comparing

  /// Takes the files out that the sieve holds.
  mutating func takeSieve() -> Sieve {
    defer { sieve = Sieve() }
    return sieve
  }

  /// All is known.
  mutating func finish() {
    // The same result whatever the order in which things came.
    groups.sort(by: DuplicateGroup.precedes)
    errors.sort { FilePath.precedes($0.path, $1.path) }
    progress.begin(.finished, toRead: Progress.Amount())
  }

  // MARK: Reading

  /// A file has been read as far as it was to be.
  mutating func settle(_ file: File, _ length: Int, _ digest: Digest) {
    sieve.add(file, digest)
    progress.settle(file.identity, of: length)
  }

  /// A file can't be read.
  mutating func giveUp(_ file: File, _ length: Int, _ error: any Error) {
    note(FileError(file.path, error))
    progress.settle(file.identity, of: length)
  }
}

extension Entry {
  /// What it is on; `nil` where it doesn't matter.
  fileprivate var device: UInt64? {
    switch self {
    case .folder(let folder): folder.identity.device
    case .file(let file): file.identity.device
    case .symbolicLink, .special: nil
    }
  }
}
