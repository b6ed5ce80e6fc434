import SystemPackage

/// A search for duplicates: its progress and its finds.
struct Search: Hashable, Sendable {
  var progress = Progress()
  var walk = Walk()
  var sieve = Sieve()
  /// The groups that have been found for good.
  var groups: [DuplicateGroup] = []
  var errors: [FileError] = []

  /// Notes that something could not be looked at.
  mutating func note(_ error: FileError) {
    errors.append(error)
    progress.problems += 1
  }

  // MARK: Walking

  /// Takes in an entry that was found.
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

  /// Takes in the content of a folder.
  mutating func add(_ listing: Listing, of folder: Folder, _ options: SearchOptions) {
    progress.folders += 1
    listing.errors.forEach { note($0) }
    for entry in listing.entries where !options.isOneFileSystem || entry.device == folder.identity.device {
      add(entry, options)
    }
  }

  // MARK: Comparing

  /// Takes out the files of the sieve.
  mutating func takeSieve() -> Sieve {
    defer { sieve = Sieve() }
    return sieve
  }

  /// Finishes the search when everything is known.
  mutating func finish() {
    // Sorted, so that the result does not depend on the order in which things came.
    groups.sort(by: DuplicateGroup.precedes)
    errors.sort { FilePath.precedes($0.path, $1.path) }
    progress.begin(.finished, toRead: Progress.Amount())
  }

  // MARK: Reading

  /// Notes that a file has been read as far as needed.
  mutating func settle(_ file: File, _ length: Int, _ digest: Digest) {
    sieve.add(file, digest)
    progress.settle(file.identity, of: length)
  }

  /// Notes that a file can't be read.
  mutating func giveUp(_ file: File, _ length: Int, _ error: any Error) {
    note(FileError(file.path, error))
    progress.settle(file.identity, of: length)
  }
}

extension Entry {
  /// The device of the entry, or `nil` if it doesn't matter.
  fileprivate var device: UInt64? {
    switch self {
    case .folder(let folder): folder.identity.device
    case .file(let file): file.identity.device
    case .symbolicLink, .special: nil
    }
  }
}
