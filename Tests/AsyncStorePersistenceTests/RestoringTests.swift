import AsyncStorePersistence
import Foundation
import Testing

@Suite("A state that was saved")
struct RestoringTests {
  let folder = Folder()
  var storage: FileStorage { FileStorage(folder.file()) }

  init() throws {
    let store = LibraryStore(Library(books: ["kept"]))
    let persistence = try store.persist(\.self, in: storage)
    try persistence.save()
    persistence.stop()
  }

  @Test("is refused by a store that is not active, and left as it is")
  func inactive() throws {
    let before = try storage.read()
    let store = LibraryStore()
    store.deactivate()
    let persistence = try? store.persist(\.self, in: storage)
    #expect(persistence == nil)
    store.activate()
    try? persistence?.save()
    store.receive(.append("new", to: \.books))
    store.deactivate()
    #expect(try storage.read() == before)
  }

  @MainActor
  @Test("is refused by an actor's store elsewhere than on the actor, and restored on it")
  func isolated() async throws {
    let before = try storage.read()
    let storage = storage
    let store = AsyncStore(state: Library(), env: (), isolation: MainActor.shared)
    let isRefused = await Task.detached {
      guard let persistence = try? store.persist(\.self, in: storage) else { return true }
      try? persistence.save()
      return false
    }.value
    #expect(isRefused)
    #expect(try storage.read() == before)
    let persistence = try store.persist(\.self, in: storage)
    #expect(store.books == ["kept"])
    persistence.stop()
  }
}
