import AsyncStore

/// The comparison of files between the phases.
///
/// It sorts all the files. That takes time, and so it is done in tasks: the closures that are given the state, which
/// nobody else can reach meanwhile, only take the files out of it.
extension SearchStore.Effect {
  /// Reads the beginnings of the files that have their size in common with another one.
  static func compareBeginnings(_ options: SearchOptions) -> Self {
    .update { search in
      let files = search.walk.takeFiles()
      return .task {
        var sieve = Sieve()
        for file in files { sieve.add(file) }
        let suspects = sieve.suspects.values.flatMap { $0 }
        return .digests(of: suspects, in: .comparingBeginnings, options) { options.beginning(ofSize: $0.size) }
      }
      .label("compare")
    }
  }

  /// Reads the contents of the files that begin as another one does; files that have been read in full are duplicates.
  static func compareContents(_ options: SearchOptions) -> Self {
    .update { search in
      let sieve = search.takeSieve()
      return .task {
        let suspects = sieve.suspects
        let isRead = { (size: Int) in options.beginning(ofSize: size) == size }
        let duplicates = suspects.filter { isRead($0.key.size) }.map { DuplicateGroup($0.key, $0.value) }
        let rest = suspects.filter { !isRead($0.key.size) }.values.flatMap { $0 }
        return .concatenate(
          .set { $0.groups += duplicates },
          .digests(of: rest, in: .comparingContents, options) { $0.size }
        )
      }
      .label("compare")
    }
  }

  /// Notes files with the same contents as duplicates, and finishes the search.
  static var conclude: Self {
    .update { search in
      let sieve = search.takeSieve()
      return .task {
        let duplicates = sieve.suspects.map { DuplicateGroup($0.key, $0.value) }
        return .set { search in
          search.groups += duplicates
          search.finish()
        }
      }
      .label("compare")
    }
  }
}
