import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Testing

@Suite("A storage")
struct OwnershipTests {
  let folder = Folder()
  var storage: FileStorage { FileStorage(folder.file()) }

  @Test("A storage is refused for a second part of the same store, whether it is a file or not")
  func twoParts() throws {
    for storage in [FileStorage(folder.file()), MemoryStorage()] as [any Storage] {
      let store = LibraryStore()
      try store.persist(\.books, in: storage)
      #expect(throws: PersistenceError.self) { try store.persist(\.shelf, in: storage) }
    }
  }

  @Test("A storage is refused for a second store while the first one saves to it")
  func twoStores() throws {
    let (first, second) = (LibraryStore(), LibraryStore())
    try first.persist(\.self, in: storage)
    #expect(throws: PersistenceError.self) { try second.persist(\.self, in: storage) }
    first.deactivate()
    try second.persist(\.self, in: storage)
  }

  @Test("Stopping an ended persistence again does not free the storage for a second part")
  func stoppedTwice() throws {
    let (store, storage) = (LibraryStore(), MemoryStorage())
    let first = try store.persist(\.books, in: storage)
    first.stop()
    try store.persist(\.books, in: storage)
    first.stop()
    #expect(throws: PersistenceError.self) { try store.persist(\.shelf, in: storage) }
  }

  @Test(
    "A reserved file name is refused for saving, and the error says to choose another name",
    arguments: [
      "state.json.previous", "state.json.owner", "state.json.damaged1", "state.json.0123456789abcdef.new",
      "state.json.Previous", "state.json.previou\u{17F}", "state.json\u{600}.previous", "state.json\u{600}.owner",
    ])
  func names(_ name: String) throws {
    let other = FileStorage(folder.file(name))
    let uses: [() throws -> Void] = [
      { try LibraryStore().persist(\.self, in: other) }, { try other.write(Data()) },
      { try other.replaceDamaged(Data()) },
      { try other.restorePrevious() },
    ]
    for use in uses {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.code == .notWritable)
      #expect(error?.description.contains("Choose another name.") == true)
    }
    #expect(folder.names == [])
  }

  @Test("A symbolic link to a reserved file name is refused for saving")
  func linkedName() throws {
    try storage.write(Data("one".utf8))
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("state.json.previous"))
    #expect(throws: PersistenceError.self) { try FileStorage(folder.file("link")).write(Data()) }
  }

  @Test("A file storage can read a file of any name, even that of a previous version")
  func readingPrevious() throws {
    let store = LibraryStore(Library(books: ["first"]))
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try persistence.save()
    store.receive(.append("second", to: \.books))
    try persistence.save()
    #expect(try FileStorage(folder.file("state.json.previous")).load(Library.self)?.books == ["first"])
  }

  @Test(
    "A file storage accepts names that only resemble reserved ones",
    arguments: ["x.new", "x.damaged", "x.damaged\u{661}", "x.owners", "previous"])
  func otherName(_ name: String) throws {
    try FileStorage(folder.file(name)).write(Data("one".utf8))
    #expect(folder.names == [name])
  }

  @Test("Persisting removes the half-written file of a process that ended")
  func leftOvers() throws {
    try storage.write(Data("one".utf8))
    let old = folder.file("state.json.0123456789abcdef.new")
    try Data("half".utf8).write(to: old)
    let store = LibraryStore()
    try FileManager.default.removeItem(at: folder.file())
    try store.persist(\.self, in: storage)
    #expect(!folder.names.contains { $0.hasSuffix(".new") })
  }

  @Test("A storage keeps a file that is named like a temporary one, except for the digits")
  func otherFile() throws {
    try storage.write(Data("one".utf8))
    let name = "state.json.notes of the day.new"
    try Data("own".utf8).write(to: folder.file(name))
    let lock = try storage.lock()
    defer { lock.unlock() }
    #expect(folder.names.contains(name))
  }

  @Test("A storage is free after a save on demand that follows `stop`")
  func savedAfterStop() throws {
    let store = LibraryStore()
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    persistence.stop()
    store.receive(.append("one", to: \.books))
    try persistence.save()
    let other = LibraryStore()
    try other.persist(\.self, in: storage)
    #expect(other.books == ["one"])
  }

  @Test("A storage is free once its store has ended, even if the last state can't be encoded")
  func unencodableEnd() throws {
    let store = AsyncStore(state: 1.0, env: ())
    try store.persist(\.self, in: storage, saving: .onDemand, onFinalFailure: { _ in })
    store.receive(.set { $0 = .infinity })
    store.deactivate()
    try LibraryStore().persist(\.self, in: storage)
  }

  @Test("A storage is free once its store has ended, even if an earlier change is delivered later", .simulated())
  func lateDelivery() async throws {
    let simulation = try #require(Simulation.current)
    let (store, observer) = (simulation.store(Library(), env: ()), simulation.store(0, env: ()))
    // It is told of the change first.
    observer.bind(id: "books", to: store, on: \.books) { [store] books in
      if !books.isEmpty { store.deactivate() }
      return .none
    }
    try store.persist(\.self, in: storage, saving: .immediate)
    store.receive(.append("one", to: \.books))
    await simulation.clock.advance(by: .seconds(1))
    try LibraryStore().persist(\.self, in: storage)
    observer.deactivate()
  }

  @Test("A storage can be used even if a half-written file can't be removed")
  func stuckLeftOver() throws {
    let stuck = "state.json.0123456789abcdef.new"
    try FileManager.default.createDirectory(at: folder.file(stuck), withIntermediateDirectories: true)
    try LibraryStore().persist(\.self, in: storage).save()
    #expect(folder.names.contains(stuck))
  }

  @Test(
    "A storage is refused for a second store even if its lock file, or its folder, was removed",
    arguments: [true, false])
  func removedLock(withFolder: Bool) throws {
    let store = LibraryStore(Library(books: ["one"]))
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try FileManager.default.removeItem(at: withFolder ? folder.url : folder.file("state.json.owner"))
    try persistence.save()
    let error = #expect(throws: PersistenceError.self) { try LibraryStore().persist(\.self, in: storage) }
    #expect(error?.code == .inUse)
    persistence.stop()
    try LibraryStore().persist(\.self, in: storage)
  }

  @Test("A save is refused once a second store has taken the storage after its lock file was removed")
  func takenLock() throws {
    let store = LibraryStore(Library(books: ["one"]))
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try FileManager.default.removeItem(at: folder.file("state.json.owner"))
    let other = LibraryStore()
    try other.persist(\.self, in: storage)
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .inUse)
    #expect(try storage.read() == nil)
    other.deactivate()
  }

  @Test("A storage is refused for a second store even at the destination of a later symbolic link")
  func movedLink() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let store = LibraryStore(Library(books: ["one"]))
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try FileManager.default.createSymbolicLink(at: folder.file(), withDestinationURL: folder.file("real"))
    try persistence.save()
    let error = #expect(throws: PersistenceError.self) {
      try LibraryStore().persist(\.self, in: FileStorage(folder.file("real")))
    }
    #expect(error?.code == .inUse)
  }

  @Test("A state is restored from a full disk, even though its lock can't say who owns it")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      let folder = Folder()
      do {
        let store = LibraryStore()
        let persistence = try store.persist(\.self, in: FileStorage(folder.file()))
        store.receive(.append("kept", to: \.books))
        try persistence.save()
        store.deactivate()
      }
      signal(SIGXFSZ, SIG_IGN)
      var none = rlimit(rlim_cur: 0, rlim_max: .max)
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let resource = RLIMIT_FSIZE
      #endif
      precondition(getrlimit(resource, &none) == 0)
      none.rlim_cur = 0
      precondition(setrlimit(resource, &none) == 0)
      let store = LibraryStore()
      let persistence = try store.persist(\.self, in: FileStorage(folder.file()))
      precondition(store.books == ["kept"])
      store.receive(.append("lost", to: \.books))
      do {
        try persistence.save()
        preconditionFailure("nothing can be written")
      } catch is PersistenceError {}
    }
  }

  #if os(Linux)
    /// A method on the actor of its caller, which Swift 6.3 names without going to it if the method is converted.
    private struct Screen {
      let store: LibraryStore
      let storage: FileStorage

      nonisolated(nonsending) func persist() async throws { try store.persist(\.self, in: storage) }
    }

    @Test("Persisting fails, and holds no lock, where the store's actor is only named")
    @concurrent
    func persistedInConvertedMethod() async throws {
      let storage = storage
      let store = LibraryStore(state: Library(), env: (), isolation: MainActor.shared)
      let persist: @MainActor @Sendable () async throws -> Void = Screen(store: store, storage: storage).persist
      let error = await #expect(throws: PersistenceError.self) { try await persist() }
      #expect(error?.code == .notRestorable)
      try await MainActor.run { try store.persist(\.self, in: storage).stop() }
    }
  #endif

  @Test("Persisting fails and holds no lock if the store is deactivated while the storage is read")
  func deactivatedMeanwhile() throws {
    let folder = Folder()
    let store = LibraryStore()
    let storage = DeactivatingStorage(FileStorage(folder.file()), store)
    let error = #expect(throws: PersistenceError.self) { try store.persist(\.self, in: storage) }
    #expect(error?.code == .notRestorable)
    try storage.file.lock().unlock()
    store.activate()
    try store.persist(\.self, in: storage.file)
  }
}

/// A storage that is empty, and whose reading deactivates a store.
private struct DeactivatingStorage: Storage {
  let file: FileStorage
  private let store: LibraryStore
  var name: String { file.name }

  init(_ file: FileStorage, _ store: LibraryStore) { (self.file, self.store) = (file, store) }

  func lock() throws -> StorageLock { try file.lock() }
  func read() -> Data? {
    store.deactivate()
    return nil
  }
  func write(_ data: Data) throws { try file.write(data) }
}
