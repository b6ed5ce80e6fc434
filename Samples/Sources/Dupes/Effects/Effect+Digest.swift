import AsyncStore
import Crypto

extension SearchStore.Effect {
  /// Reads files, a few at once, and adds each result to the state.
  ///
  /// - Parameter length: returns the number of bytes to read of a file.
  static func digests(
    of files: [File], in phase: Progress.Phase, _ options: SearchOptions, length: (File) -> Int
  ) -> Self {
    // On many disks files lie in the order of their inodes, or near it. A fixed order also makes each run the same.
    let files = files.sorted { $0.identity < $1.identity }
    let total = Progress.Amount(files: files.count, bytes: files.reduce(0) { $0 + length($1) })
    return .concatenate(
      .set { $0.progress.begin(phase, toRead: total) },
      .merge(effects: files.map { .digest(of: $0, length: length($0), options) }, limit: options.jobs)
    )
  }

  private static func digest(of file: File, length: Int, _ options: SearchOptions) -> Self {
    let giveUp: GiveUp = { search, error in search.giveUp(file, length, error) }
    return .concatenate(
      .set { $0.progress.begin(file.identity) },
      .slice(of: file, at: 0, length: length, SHA256(), options, else: giveUp)
    )
    .retried(options, else: giveUp)
  }

  /// Reads a slice, and goes on with the next one.
  ///
  /// Each slice is an effect of its own: the progress is committed in between, and nothing is open there, so that a
  /// search can be cancelled at any point and leaves nothing behind. Only one slice of a file is in memory, however
  /// long the file is.
  private static func slice(
    of file: File, at offset: Int, length: Int, _ hash: SHA256, _ options: SearchOptions,
    else giveUp: @escaping GiveUp
  ) -> Self {
    attempt("read", else: giveUp) { fileSystem in
      let bytes = try await fileSystem.read(file, offset, min(options.sliceLength, length - offset))
      var hash = hash
      hash.update(data: bytes)
      let (count, end) = (bytes.count, offset + bytes.count)
      guard end < length else {
        let digest = Digest(hash.finalize())
        return .set { search in
          search.progress.advance(file.identity, by: count)
          search.settle(file, length, digest)
        }
      }
      return .concatenate(
        .set { $0.progress.advance(file.identity, by: count) },
        .slice(of: file, at: end, length: length, hash, options, else: giveUp)
      )
    }
  }
}
