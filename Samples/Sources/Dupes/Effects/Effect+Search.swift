import AsyncStore
import SystemPackage

/// The store that searches.
typealias SearchStore = AsyncStore<Search, FileSystem>

extension SearchStore.Effect {
  /// Looks for duplicates in folders and among files.
  ///
  /// Each step takes less of the disk than the next one would: most files are told apart by their size, most of the
  /// others by how they begin, and only the rest are read in full.
  static func search(_ paths: [FilePath], _ options: SearchOptions) -> Self {
    .concatenate(
      .walk(from: paths, options),
      .compareBeginnings(options),
      .compareContents(options),
      .conclude
    )
    .id("search")
  }

  /// Ends a search where it is; does nothing if it has finished.
  static var interrupt: Self {
    .concatenate(
      .cancel("search"),
      .set { if !$0.progress.isOver { $0.progress.isInterrupted = true } }
    )
  }
}
