import AsyncStoreTesting
import SystemPackage

@testable import Dupes

extension SearchOptions {
  /// Beginnings and slices of so few bytes that short texts have several.
  static let small: SearchOptions = {
    var options = SearchOptions()
    options.beginningLength = 2
    options.sliceLength = 2
    return options
  }()

  func with(jobs: Int) -> SearchOptions {
    var options = self
    options.jobs = jobs
    return options
  }
}

extension FakeFileSystem {
  /// The file of a path.
  func file(_ path: FilePath) async throws -> File {
    guard case .file(let file) = try await fileSystem.entry(path) else { throw FileError(path, .other("no file")) }
    return file
  }

  /// The folder of a path.
  func folder(_ path: FilePath) async throws -> Folder {
    guard case .folder(let folder) = try await fileSystem.entry(path) else {
      throw FileError(path, .other("no folder"))
    }
    return folder
  }
}

extension Search {
  /// The paths of each group, as text.
  var duplicates: [[String]] { groups.map { $0.paths.map(\.string) } }

  /// The errors of places that could not be looked at, as text.
  var problems: [String] { errors.map(\.description) }
}

extension Simulation {
  /// Searches everything in a made-up file system, and waits.
  func search(
    _ files: FakeFileSystem, _ paths: [FilePath] = ["/"], _ options: SearchOptions = .small
  ) async -> Search {
    let store = store(Search(), env: files.fileSystem)
    await store.run(.search(paths, options))
    return store.state
  }
}
