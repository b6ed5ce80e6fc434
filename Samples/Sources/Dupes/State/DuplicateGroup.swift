import SystemPackage

/// Files with the same contents.
struct DuplicateGroup: Hashable, Sendable {
  var size: Int
  var digest: Digest
  /// Two or more paths, in the order of the bytes.
  var paths: [FilePath]

  init(size: Int, digest: Digest, paths: [FilePath]) {
    self.size = size
    self.digest = digest
    self.paths = paths.sorted(by: FilePath.precedes)
  }

  /// Creates a group of files whose whole contents have the same fingerprint.
  init(_ fingerprint: Sieve.Fingerprint, _ files: [File]) {
    guard let digest = fingerprint.digest else { preconditionFailure("files that nobody read are no duplicates") }
    self.init(size: fingerprint.size, digest: digest, paths: files.map(\.path))
  }

  /// The number of bytes that would be free if only one of the files were left.
  var reclaimable: Int { size * (paths.count - 1) }

  /// Returns whether a group comes first: the one that frees most.
  static func precedes(_ left: DuplicateGroup, _ right: DuplicateGroup) -> Bool {
    left.reclaimable != right.reclaimable
      ? left.reclaimable > right.reclaimable : FilePath.precedes(left.paths[0], right.paths[0])
  }
}
