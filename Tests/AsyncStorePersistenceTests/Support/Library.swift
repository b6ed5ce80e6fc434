import AsyncStorePersistence
import Foundation

struct Library: Codable, Equatable, Sendable {
  var books: [String] = []
  var shelf = Shelf()
  var problem: String?

  struct Shelf: Codable, Equatable, Sendable { var width = 1 }
}

typealias LibraryStore = AsyncStore<Library, Void>

extension LibraryStore {
  convenience init(_ library: Library = Library()) { self.init(state: library, env: ()) }
}

/// A directory of its own for a test.
final class Folder {
  let url = URL.temporaryDirectory.appending(path: "AsyncStore-\(UUID().uuidString)")

  func file(_ name: String = "state.json") -> URL { url.appending(path: name) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

  deinit { try? FileManager.default.removeItem(at: url) }
}
