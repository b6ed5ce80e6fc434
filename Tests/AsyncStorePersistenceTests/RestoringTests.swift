import AsyncStorePersistence
import Foundation
import Synchronization
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

  @Test("An inactive store refuses to persist, and leaves the saved state as it is")
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

  @Test("A saved state that the caller does not want is not restored, and stays until the next save")
  func unwanted() throws {
    let before = try storage.read()
    let store = LibraryStore()
    let seen = Mutex<[String]>([])
    let persistence = try store.persist(
      \.self, in: storage,
      restoring: { library in
        seen.withLock { $0 += library.books }
        return library.books.count > 1
      })
    #expect(seen.withLock { $0 } == ["kept"])
    #expect(store.books.isEmpty)
    #expect(try storage.read() == before)
    store.receive(.append("new", to: \.books))
    try persistence.save()
    persistence.stop()
    let other = LibraryStore()
    try other.persist(\.self, in: storage, restoring: { $0.books == ["new"] }).stop()
    #expect(other.books == ["new"])
  }

  @Test("A notification saves the state before its poster continues")
  func notifications() throws {
    let center = NotificationCenter()
    let name = Notification.Name("background")
    let storage = MemoryStorage()
    let store = LibraryStore()
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    let failures = Mutex<[PersistenceError.Code]>([])
    let saving = persistence.startSaving(on: name, from: center) { error in failures.withLock { $0.append(error.code) }
    }
    store.receive(.append("one", to: \.books))
    #expect(storage.data == nil)
    center.post(name: name, object: nil)
    #expect(try storage.value(Library.self)?.books == ["one"])
    store.receive(.append("two", to: \.books))
    storage.fail(times: 1)
    center.post(name: name, object: nil)
    #expect(failures.withLock { $0 } == [.notWritable])
    saving.stop()
    center.post(name: name, object: nil)
    #expect(try storage.value(Library.self)?.books == ["one"])
  }

  @MainActor
  @Test("A store that is bound to an actor refuses a saved state off the actor, and restores it there")
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
