import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

@Suite("A store that persists its state")
struct PersistingTests {
  let storage = MemoryStorage()
  let store = LibraryStore()

  @Test("A store starts with the saved state")
  func restore() throws {
    try store.persist(\.self, in: storage)
    store.receive(.append("one", to: \.books))
    store.deactivate()
    let other = LibraryStore()
    try other.persist(\.self, in: storage)
    #expect(other.state == Library(books: ["one"]))
  }

  @Test("A store keeps its own state if nothing was saved yet")
  func nothingSaved() throws {
    let store = LibraryStore(Library(books: ["own"]))
    try store.persist(\.self, in: storage)
    #expect(store.books == ["own"])
    #expect(storage.writes.isEmpty)
  }

  @Test("A debounced schedule saves once the state has come to rest", .simulated())
  func debounced() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage, saving: .debounce(for: .seconds(1)))
    for number in 1...10 {
      await simulation.clock.advance(by: .milliseconds(999))
      store.receive(.append("\(number)", to: \.books))
    }
    await simulation.clock.advance(by: .milliseconds(999))
    #expect(storage.writes.isEmpty)
    await simulation.clock.advance(by: .milliseconds(1))
    #expect(try storage.value(Library.self)?.books.count == 10)
    #expect(storage.writes.count == 1)
    await simulation.clock.advance(by: .seconds(60))
    #expect(storage.writes.count == 1)
  }

  @Test(
    "A debounced schedule has a limit, by default ten periods, for a state that never rests", .simulated(),
    arguments: [nil, Duration.seconds(3)])
  func debouncedAtMost(_ limit: Duration?) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.shelf, in: storage, saving: .debounce(for: .seconds(1), atMost: limit))
    store.receive(.set(\.shelf.width, to: 7))
    // Another part, which changes all the time.
    var times: [Duration] = []
    for number in 1...240 {
      await simulation.clock.advance(by: .milliseconds(100))
      store.receive(.append("\(number)", to: \.books))
      if storage.data != nil, times.isEmpty { times.append(simulation.clock.now.offset) }
    }
    #expect(times == [limit ?? .seconds(10)])
    #expect(try storage.value(Library.Shelf.self)?.width == 7)
    store.deactivate()
  }

  @Test(
    "An immediate schedule saves after each change, and a throttled one at most once a period", .simulated(),
    arguments: [(SavingSchedule.immediate, Duration.zero), (.throttle(for: .seconds(1)), .seconds(1))])
  func schedules(_ schedule: SavingSchedule, later: Duration) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage, saving: schedule)
    store.receive(.append("one", to: \.books))
    await storage.written()
    #expect(simulation.clock.now.offset == .zero)
    store.receive(.append("two", to: \.books))
    await storage.written()
    #expect(simulation.clock.now.offset == later)
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
    await simulation.clock.run()
  }

  @Test("The last state of a released store can be saved on demand if the last save failed")
  func lastStateOfAGoneStore() throws {
    var store: LibraryStore? = LibraryStore()
    let persistence = try #require(try store?.persist(\.self, in: storage, saving: .onDemand))
    store?.receive(.append("one", to: \.books))
    storage.fail(times: 2)
    store = nil
    #expect(storage.writes.isEmpty)
    #expect(persistence.lastFailure?.code == .notWritable)
    #expect(throws: PersistenceError.self) { try persistence.save() }
    try persistence.save()
    #expect(try storage.value(Library.self)?.books == ["one"])
    #expect(persistence.lastFailure == nil)
    try persistence.save()
    #expect(storage.writes.count == 1)
  }

  @Test("A save on demand fails if the store was released after its persistence was stopped")
  func stoppedAndGone() throws {
    var store: LibraryStore? = LibraryStore()
    let persistence = try #require(try store?.persist(\.self, in: storage, saving: .onDemand))
    persistence.stop()
    store?.receive(.append("one", to: \.books))
    store = nil
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .storeEnded)
    #expect(storage.writes.isEmpty)
  }

  @Test("A saved state can be loaded without a store, and is migrated or refused as by one")
  func load() throws {
    #expect(try storage.load(Library.self) == nil)
    try store.persist(\.self, in: storage, version: 2)
    store.receive(.append("one", to: \.books))
    store.deactivate()
    #expect(try storage.load(Library.self, version: 2) == Library(books: ["one"]))
    let more = Migration(from: 2) { (old: Library) in Library(books: old.books + ["two"]) }
    #expect(try storage.load(version: 3, migrations: [more]) == Library(books: ["one", "two"]))
    let error = #expect(throws: PersistenceError.self) { try storage.load(Library.self) }
    #expect(error?.code == .newer)
    #expect(storage.writes.count == 1)
  }

  @Test("An on-demand schedule saves when it is asked to and at the end, and not in between")
  func neverOfItself() throws {
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    store.receive(.append("one", to: \.books))
    #expect(store.inFlight.isEmpty)
    #expect(storage.writes.isEmpty)
    try persistence.save()
    #expect(try storage.value(Library.self)?.books == ["one"])
    store.receive(.append("two", to: \.books))
    #expect(store.inFlight.isEmpty)
    store.deactivate()
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
  }

  @Test("A store has saved its last state when `deactivate` returns")
  func deactivate() throws {
    try store.persist(\.self, in: storage, saving: .debounce(for: .seconds(3_600)))
    store.receive(.append("one", to: \.books))
    #expect(storage.data == nil)
    store.deactivate()
    #expect(try storage.value(Library.self)?.books == ["one"])
    store.activate()
    store.receive(.append("two", to: \.books))
    store.deactivate()
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
  }

  @Test("A store has saved its last state when it is released, and its persistence does not keep it alive")
  func lifetime() throws {
    var store: LibraryStore? = LibraryStore()
    weak let gone = store
    try store?.persist(\.self, in: storage, saving: .debounce(for: .seconds(3_600)))
    store?.receive(.append("one", to: \.books))
    store = nil
    #expect(gone == nil)
    #expect(try storage.value(Library.self)?.books == ["one"])
  }

  /// A state whose saved part calls a function once when it is read.
  struct Watched: Sendable {
    final class Reading: Sendable {
      let call = Mutex<(@Sendable () -> Void)?>(nil)
    }

    let reading = Reading()
    var count = 0
    var saved: Int {
      get {
        reading.call.withLock { $0.take() }?()
        return count
      }
      set { count = newValue }
    }
  }

  @Test("A save that reads the state does not keep the store alive", .simulated())
  func lifetimeWhileReading() async throws {
    let simulation = try #require(Simulation.current)
    // Not one of the simulation's own stores, which it keeps.
    let box = Mutex<AsyncStore<Watched, Void>?>(
      AsyncStore(state: Watched(), env: (), clock: simulation.clock, executor: simulation.executor))
    let wasGone = Mutex<Bool?>(nil)
    try box.withLock { store in
      _ = try store?.persist(\.saved, in: storage, saving: .immediate)
      weak let gone = store
      store?.reading.call.withLock {
        $0 = {
          box.withLock { $0 = nil }
          wasGone.withLock { $0 = gone == nil }
        }
      }
      _ = store?.receive(.set { $0.count = 1 })
    }
    await simulation.clock.advance(by: .seconds(1))
    #expect(wasGone.withLock { $0 } == true)
    #expect(try storage.value(Int.self) == 1)
  }

  @Test("A store does not write a state that has not changed")
  func unchanged() throws {
    let persistence = try store.persist(\.self, in: storage)
    try persistence.save()
    try persistence.save()
    store.deactivate()
    #expect(storage.writes.count == 1)
  }

  @Test("A store saves a part, and leaves the rest alone")
  func part() throws {
    try store.persist(\.shelf, in: storage)
    store.receive(.set(\.shelf.width, to: 7))
    store.deactivate()
    let other = LibraryStore(Library(books: ["own"]))
    try other.persist(\.shelf, in: storage)
    #expect(other.state == Library(books: ["own"], shelf: .init(width: 7)))
  }

  @Test("A persistence saves on demand, and stops on demand")
  func onDemand() throws {
    let persistence = try store.persist(\.self, in: storage)
    store.receive(.append("one", to: \.books))
    try persistence.save()
    #expect(try storage.value(Library.self)?.books == ["one"])
    persistence.stop()
    store.receive(.append("two", to: \.books))
    store.deactivate()
    #expect(storage.writes.count == 1)
  }

  @Test("A save on demand writes the current state even if the persistence was stopped while inactive")
  func savedAfterStop() throws {
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    store.receive(.append("one", to: \.books))
    store.deactivate()
    persistence.stop()
    store.activate()
    store.receive(.append("two", to: \.books))
    try persistence.save()
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
  }

  @Test("A debounced save waits for a whole period after a change in a new activation", .simulated())
  func periodOfTheNextActivity() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage, saving: .debounce(for: .seconds(1)))
    store.receive(.append("one", to: \.books))
    await simulation.clock.advance(by: .milliseconds(500))
    store.deactivate()
    store.activate()
    store.receive(.append("two", to: \.books))
    await simulation.clock.advance(by: .milliseconds(999))
    #expect(try storage.value(Library.self)?.books == ["one"])
    await simulation.clock.advance(by: .milliseconds(1))
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
  }

  @Test("A debounced save waits for a whole period after a change that follows a save", .simulated())
  func newPeriod() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage, saving: .debounce(for: .seconds(1)))
    store.receive(.append("one", to: \.books))
    await simulation.clock.advance(by: .milliseconds(9_500))
    store.receive(.append("two", to: \.books))
    await simulation.clock.advance(by: .milliseconds(999))
    #expect(try storage.value(Library.self)?.books == ["one"])
    await simulation.clock.advance(by: .milliseconds(1))
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
  }

  @Test("A store saves a silent change", .simulated())
  func silently() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage)
    store.receive(.silently { $0.books.append("one") })
    await simulation.clock.advance(by: .seconds(1))
    #expect(try storage.value(Library.self)?.books == ["one"])
  }

  @Test("A store reports a state that can't be encoded")
  func notEncodable() throws {
    let store = AsyncStore(state: Double.infinity, env: ())
    let persistence = try store.persist(\.self, in: storage)
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .notEncodable)
    #expect(storage.data == nil)
  }

  @Test("A store writes one state at a time, and the changes made meanwhile together")
  func oneAtATime() async throws {
    await #expect(processExitsWith: .success) {
      let jobs = JobList()
      let store = LibraryStore(state: Library(), env: (), executor: jobs)
      let storage = ObservedStorage {
        guard store.books.count == 1 else { return }
        for number in 1...3 { store.receive(.append("\(number)", to: \.books)) }
        // Nothing that this runs may wait for the thread that writes.
        jobs.run()
      }
      try store.persist(\.self, in: storage, saving: .immediate)
      store.receive(.append("0", to: \.books))
      jobs.run()
      precondition(storage.counts == [1, 4])
      store.deactivate()
      precondition(storage.counts == [1, 4])
    }
  }

  @Test("A store never writes an older state over a newer one")
  func order() async throws {
    let persistence = try store.persist(\.self, in: storage, saving: .immediate)
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            store.receive(.append("\(number)", to: \.books))
            try? persistence.save()
          }
        }
      }
    }
    store.deactivate()
    let sizes = try storage.writes.map { data in
      let content = data[(try #require(data.firstIndex(of: 0x0A)) + 1)...]
      return try JSONDecoder().decode(Library.self, from: content).books.count
    }
    #expect(sizes == sizes.sorted())
    #expect(sizes.last == 200)
  }

  @TaskLocal private static var caller = "none"

  /// A storage that notes for whom it writes, and with which priority.
  private final class NotingStorage: Storage {
    let name = "noting"
    private let (notes, note) = AsyncStream.makeStream(of: (caller: String, priority: TaskPriority).self)

    func read() -> Data? { nil }
    func write(_ data: Data) { note.yield((PersistingTests.caller, Task.currentPriority)) }

    /// Waits for the next write.
    func next() async -> (caller: String, priority: TaskPriority)? { await notes.first { _ in true } }
  }

  @Test("A save inherits neither the task-local values nor the priority of the change's task")
  func savesInheritNothing() async throws {
    let (storage, store) = (NotingStorage(), LibraryStore())
    try store.persist(\.self, in: storage, saving: .immediate)
    Self.$caller.withValue("change") {
      _ = Task(priority: .background) { store.receive(.append("one", to: \.books)) }
    }
    let write = try #require(await storage.next())
    #expect(write.caller == "none")
    #expect(write.priority == .medium)
  }
}
