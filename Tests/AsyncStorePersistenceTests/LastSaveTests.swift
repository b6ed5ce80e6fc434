import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncStore

@Suite("The last state")
struct LastSaveTests {
  private let storage = MemoryStorage()
  private let store = LibraryStore()
  private let observer = AsyncStore(state: [String](), env: ())
  private var saved: [String]? { (try? storage.value(Library.self))?.books }

  @Test("The last state is saved when `deactivate` returns, even if an observer calls it")
  func insideDelivery() throws {
    try store.persist(\.self, in: storage, saving: .onDemand)
    let atReturn = Mutex<[String]?>(nil)
    observer.bind(id: "books", to: store, on: \.books) { [store, storage] books in
      if books.isEmpty { return .none }
      store.deactivate()
      let value = try? storage.value(Library.self)
      atReturn.withLock { $0 = value?.books }
      return .none
    }
    store.receive(.append("one", to: \.books))
    #expect(atReturn.withLock { $0 } == ["one"])
  }

  @Test("The last state is saved when `deactivate` returns, even while another thread notifies observers")
  func whileAnotherDelivers() throws {
    try store.persist(\.self, in: storage, saving: .onDemand)
    let (isTelling, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    observer.bind(id: "books", to: store, on: \.books) { books in
      if books.isEmpty { return .none }
      isTelling.signal()
      mayGoOn.wait()
      return .none
    }
    Thread.detachNewThread { [store] in store.receive(.append("one", to: \.books)) }
    isTelling.wait()
    store.deactivate()
    #expect(saved == ["one"])
    mayGoOn.signal()
  }

  @Test("The last state is saved when `deactivate` returns, even while observers wait for the store's actor")
  func offTheActor() async throws {
    let desk = Desk()
    let store = AsyncStore(state: Library(), env: (), isolation: desk)
    let saved = try await desk.run { [storage, observer] _ in
      try store.persist(\.self, in: storage, saving: .onDemand)
      store.receive(.append("one", to: \.books))
      // Nothing can take a turn on the actor in between.
      observer.bind(id: "books", to: store, on: \.books) { _ in .none }
      store.deactivate()
      return try storage.value(Library.self)?.books
    }
    #expect(saved == ["one"])
  }

  @Test("The last state is saved when `deactivate` returns, even if another thread has begun to save it")
  func twoDeactivate() throws {
    let storage = HeldStorage()
    try store.persist(\.self, in: storage, saving: .onDemand)
    store.receive(.append("one", to: \.books))
    Thread.detachNewThread { [store] in store.deactivate() }
    storage.isWriting.wait()
    let hasReturned = DispatchSemaphore(value: 0)
    let isSaved = Mutex<Bool?>(nil)
    Thread.detachNewThread { [store] in
      store.deactivate()
      isSaved.withLock { $0 = storage.data != nil }
      hasReturned.signal()
    }
    // The call must not return early. The test observes it for this time.
    let isEarly = hasReturned.wait(timeout: .now() + 0.2) == .success
    #expect(!isEarly)
    storage.mayWrite.signal()
    if !isEarly { hasReturned.wait() }
    #expect(isSaved.withLock { $0 } == true)
  }

  @Test("A failed last save is made and reported once, however often the store ends, and repeated on demand")
  func failure() throws {
    let failures = Mutex<[PersistenceError.Code]>([])
    var store: LibraryStore? = LibraryStore()
    let persistence = try #require(
      try store?.persist(
        \.self, in: storage, saving: .onDemand,
        onFinalFailure: { error in failures.withLock { $0.append(error.code) } }))
    store?.receive(.append("one", to: \.books))
    storage.fail(times: 2)
    store?.deactivate()
    store?.deactivate()
    store = nil
    #expect(failures.withLock { $0 } == [.notWritable])
    #expect(storage.failures == 1)
    #expect(throws: PersistenceError.self) { try persistence.save() }
    try persistence.save()
    #expect(saved == ["one"])
    #expect(failures.withLock { $0 } == [.notWritable])
  }

  @Test("The last save is tried once if several threads deactivate the store at once")
  func failureOnManyThreads() throws {
    let failures = Mutex(0)
    try store.persist(\.self, in: storage, saving: .onDemand, onFinalFailure: { _ in failures.withLock { $0 += 1 } })
    store.receive(.append("one", to: \.books))
    storage.fail(times: 8)
    DispatchQueue.concurrentPerform(iterations: 8) { [store] _ in store.deactivate() }
    #expect(failures.withLock { $0 } == 1)
    #expect(storage.failures == 1)
  }

  @Test("A failed last save is tried again at the end of the next activation, with or without changes")
  func laterActivation() throws {
    let failures = Mutex(0)
    try store.persist(\.self, in: storage, saving: .onDemand, onFinalFailure: { _ in failures.withLock { $0 += 1 } })
    store.receive(.append("one", to: \.books))
    storage.fail(times: 2)
    store.deactivate()
    store.activate()
    store.deactivate()
    store.deactivate()
    #expect(failures.withLock { $0 } == 2)
    store.activate()
    store.deactivate()
    #expect(failures.withLock { $0 } == 2)
    #expect(saved == ["one"])
    storage.fail(times: 1)
    store.activate()
    store.receive(.append("two", to: \.books))
    store.deactivate()
    #expect(failures.withLock { $0 } == 3)
    #expect(saved == ["one"])
  }

  @Test("A failed last save is tried again when a store that was activated again is released")
  func droppedWhileActive() throws {
    let failures = Mutex(0)
    var store: LibraryStore? = LibraryStore()
    try store?.persist(\.self, in: storage, saving: .onDemand, onFinalFailure: { _ in failures.withLock { $0 += 1 } })
    store?.receive(.append("one", to: \.books))
    storage.fail(times: 1)
    store?.deactivate()
    store?.activate()
    store = nil
    #expect(failures.withLock { $0 } == 1)
    #expect(saved == ["one"])
  }

  @Test("Deactivating an ended store again neither saves nor reports a failure")
  func endedTwice() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file())
    let failures = Mutex<[PersistenceError.Code]>([])
    try store.persist(\.self, in: storage, onFinalFailure: { error in failures.withLock { $0.append(error.code) } })
    store.receive(.append("one", to: \.books))
    store.deactivate()
    let other = LibraryStore()
    try other.persist(\.self, in: storage)
    store.deactivate()
    #expect(failures.withLock { $0 } == [])
    #expect(other.books == ["one"])
  }

  @Test("A save on demand writes the last state of a released store again if the file was deleted")
  func goneAndDeleted() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file())
    var store: LibraryStore? = LibraryStore()
    let persistence = try #require(try store?.persist(\.self, in: storage, saving: .onDemand))
    store?.receive(.append("one", to: \.books))
    store = nil
    try persistence.save()
    try FileManager.default.removeItem(at: folder.file())
    try persistence.save()
    #expect(try storage.load(Library.self)?.books == ["one"])
  }

  @Test("A delivery after the store's end does not save the last state again")
  func lateDelivery() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file())
    try store.persist(\.self, in: storage, saving: .immediate)
    observer.bind(id: "books", to: store, on: \.books) { [store] books in
      if books != ["one"] { return .none }
      store.receive(.append("two", to: \.books))
      store.deactivate()
      return .none
    }
    store.receive(.append("one", to: \.books))
    // The storage can be locked, so others may save to the file.
    try storage.lock().unlock()
    #expect(try storage.load(Library.self)?.books == ["one", "two"])
  }

  /// An executor that runs each job on a thread of its own, which the job may block.
  private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  @Test("A save on demand works while the store is being released, and waits for the store's lock")
  func whileReleased() throws {
    let box = Mutex<LibraryStore?>(LibraryStore(state: Library(), env: (), executor: OwnThreads()))
    let persistence = try #require(
      try box.withLock { try $0?.persist(\.self, in: storage, saving: .onDemand) })
    let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    box.withLock { store in
      _ = store?.receive(
        .task {
          .set {
            isInside.signal()
            mayGoOn.wait()
            $0.books = ["one"]
          }
        })
    }
    isInside.wait()
    let runtime = try #require(box.withLock { $0?.runtime })
    // Taken on that thread, because otherwise this one might release the last reference, with the closure.
    Thread.detachNewThread { withExtendedLifetime(box.withLock { $0.take() }) {} }
    // Only the end of the store, to which no reference is left, waits for the lock.
    while runtime.waiterCount < 1 {}
    let outcome = Outcome()
    Thread.detachNewThread { outcome.set(Result { try persistence.save() }) }
    while runtime.waiterCount < 2, outcome.value == nil {}
    mayGoOn.signal()
    try outcome.wait().get()
    #expect(saved == ["one"])
  }

  /// The result of a call on another thread.
  private final class Outcome: Sendable {
    private let content = Mutex<Result<Void, any Error>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    var value: Result<Void, any Error>? { content.withLock { $0 } }

    func set(_ value: Result<Void, any Error>) {
      content.withLock { $0 = value }
      isSet.signal()
    }

    func wait() throws -> Result<Void, any Error> {
      isSet.wait()
      return try #require(value)
    }
  }

  @Test("A crash of the simulated host saves nothing, and what was saved before is found again")
  func hostCrashes() async throws {
    let storage = MemoryStorage()
    let found = Mutex<[[String]]>([])
    try await simulate { simulation in
      let network = SimulatedNetwork<Int>()
      network.host("library") { host in
        let store = host.store(Library(), env: ())
        try store.persist(\.self, in: storage)
        found.withLock { $0.append(store.books) }
        store.receive(.append("\(store.books.count)", to: \.books))
      }
      await simulation.settle()
      network.restart("library")
      await simulation.clock.advance(by: .seconds(1))
      network.restart("library")
      await simulation.settle()
    }
    #expect(found.withLock { $0 } == [[], [], ["0"]])
    #expect(try storage.value(Library.self)?.books == ["0"])
  }

  @Test("A save on demand is refused after a host crash, because the next life may use the storage")
  func demandBehindACrash() async throws {
    let storage = MemoryStorage()
    let lives = Mutex<[Persistence]>([])
    try await simulate { simulation in
      let network = SimulatedNetwork<Int>()
      network.host("library") { host in
        let store = host.store(Library(), env: ())
        let persistence = try store.persist(\.books, in: storage, saving: .onDemand)
        lives.withLock { $0.append(persistence) }
        store.receive(.append("\(store.books.count)", to: \.books))
      }
      await simulation.settle()
      network.restart("library")
      await simulation.settle()
      let (dead, living) = lives.withLock { ($0[0], $0[1]) }
      #expect { try dead.save() } throws: { ($0 as? PersistenceError)?.code == .storeEnded }
      dead.stop()
      #expect { try dead.save() } throws: { ($0 as? PersistenceError)?.code == .storeEnded }
      #expect(storage.read() == nil)
      try living.save()
    }
    #expect(try storage.value([String].self) == ["0"])
  }

  @Test("The last state is not saved once the persistence is stopped, even if the store has ended meanwhile")
  func stopped() throws {
    let second = Mutex<Persistence?>(nil)
    let failing = MemoryStorage(failures: .max, name: "failing")
    // Told of the end first, and stops the other saving before that has begun its last save.
    try store.persist(
      \.problem, in: failing, saving: .onDemand, onFinalFailure: { _ in second.withLock { $0 }?.stop() })
    let persistence = try store.persist(\.books, in: storage, saving: .onDemand)
    second.withLock { $0 = persistence }
    store.receive(.append("one", to: \.books))
    store.deactivate()
    #expect(failing.failures == 1)
    #expect(storage.writes.isEmpty)
  }
}

/// An actor to bind a store to.
private actor Desk {
  func run<Value: Sendable>(_ body: @Sendable (isolated Desk) throws -> Value) rethrows -> Value { try body(self) }
}

/// A storage whose writes wait for the test's permission.
private final class HeldStorage: Storage {
  let name = "held"
  let isWriting = DispatchSemaphore(value: 0)
  let mayWrite = DispatchSemaphore(value: 0)
  private let content = Mutex<Data?>(nil)

  var data: Data? { content.withLock { $0 } }
  func read() -> Data? { data }
  func write(_ data: Data) {
    isWriting.signal()
    mayWrite.wait()
    content.withLock { $0 = data }
  }
}
