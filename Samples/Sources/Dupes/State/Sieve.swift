/// A sieve that sorts files by the known part of their contents, and keeps those that may be equal to another one.
struct Sieve: Hashable, Sendable {
  /// The known part of a file's contents.
  struct Fingerprint: Hashable, Sendable {
    var size: Int
    /// The digest of the part that has been read, or `nil` if nothing has.
    var digest: Digest?
  }

  private var files: [Fingerprint: [File]] = [:]

  mutating func add(_ file: File, _ digest: Digest? = nil) {
    files[Fingerprint(size: file.size, digest: digest), default: []].append(file)
  }

  /// The files that have their fingerprint in common with another one.
  ///
  /// - Complexity: linear in the files.
  var suspects: [Fingerprint: [File]] { files.filter { $0.value.count > 1 } }
}
