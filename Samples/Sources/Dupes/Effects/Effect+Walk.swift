import AsyncStore
import SystemPackage

extension SearchStore.Effect {
  /// Finds everything below some paths.
  static func walk(from paths: [FilePath], _ options: SearchOptions) -> Self {
    .concatenate(
      .merge(effects: paths.map { .visit($0, options) }, limit: options.jobs),
      .descend(options)
    )
  }

  /// Lists the folders that have been found, then those found in them, and so on.
  ///
  /// It goes level by level, to limit how many are listed at once: with a merge inside of each merge, the limits would
  /// multiply.
  private static func descend(_ options: SearchOptions) -> Self {
    .update { search in
      let folders = search.walk.takeUnvisited()
      if folders.isEmpty { return .none }
      return .concatenate(
        .merge(effects: folders.map { .list($0, options) }, limit: options.jobs),
        .descend(options)
      )
    }
  }

  /// Looks at a path from the command line.
  private static func visit(_ path: FilePath, _ options: SearchOptions) -> Self {
    let giveUp: GiveUp = { search, error in search.note(FileError(path, error)) }
    let visit = attempt("visit", else: giveUp) { fileSystem in
      let entry = try await fileSystem.entry(path)
      if case .symbolicLink = entry { throw FileError(path, .symbolicLink) }
      return .set { $0.add(entry, options) }
    }
    return visit.retried(options, else: giveUp)
  }

  private static func list(_ folder: Folder, _ options: SearchOptions) -> Self {
    let giveUp: GiveUp = { search, error in search.note(FileError(folder.path, error)) }
    let list = attempt("list", else: giveUp) { fileSystem in
      let listing = try await fileSystem.list(folder)
      return .set { $0.add(listing, of: folder, options) }
    }
    return list.retried(options, else: giveUp)
  }
}
