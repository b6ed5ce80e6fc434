import AsyncStorePersistence
import Testing

@Suite("A state and its log")
struct KeptLogTests {
  struct Tally: Model, Codable {
    enum Action: Sendable, Equatable, Codable { case add(Int) }
    var count = 0

    static func update(_ state: inout Tally, _ action: Action) -> Effect {
      switch action {
      case .add(let number): state.count += number
      }
      return .none
    }
  }

  typealias Log = ActionLog<Tally>

  /// Returns a store that continues the log that a storage keeps.
  private func tally(_ storage: some Storage) throws -> (StoreOf<Tally>, save: () throws -> Void) {
    let kept = AsyncStore(state: Log(initial: Tally()), env: ())
    let saving = try kept.persist(\.self, in: storage, saving: .onDemand)
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    try tally.startRecording(continuing: kept.state)
    return (
      tally,
      {
        let log = try #require(tally.actionLog)
        kept.receive(.set { $0 = log })
        try saving.save()
      }
    )
  }

  @Test("A state and its log agree after any power failure if only the log is kept", arguments: [true, false])
  func oneValue(hasLinks: Bool) throws {
    let disk = Disk(hasLinks: hasLinks)
    let (store, save) = try tally(FileStorage(path: "/tally", files: disk))
    var acknowledged: [Int: Int] = [:]
    for number in 1...4 {
      store.send(.add(number))
      try save()
      acknowledged[disk.steps] = number
    }
    var (last, looked) = (0, 0)
    for step in 0...disk.steps {
      last = acknowledged[step] ?? last
      for remains in disk.remains(afterFailureAt: step) {
        let (store, _) = try tally(FileStorage(path: "/tally", files: remains))
        let log = try #require(store.actionLog)
        #expect(log.count == last || log.count == last + 1)
        #expect(store.count == (1...4).prefix(log.count).reduce(0, +))
        #expect(try log.replay() == store.state)
        looked += 1
      }
    }
    #expect(looked > 20)
  }

  /// Returns a storage that contains a snapshot.
  private func snapshot(_ count: Int) throws -> MemoryStorage {
    let storage = MemoryStorage()
    try StoreOf<Tally>(state: Tally(count: count), env: ()).persist(\.self, in: storage).save()
    return storage
  }

  @Test("Stores that end at once can save while others begin to save on other threads")
  func manyThreads() async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for number in 0..<500 { _ = try snapshot(number) } }
      }
      try await group.waitForAll()
    }
  }

  @Test("A log begins with the restored state if recording starts after `persist`")
  func recordLast() throws {
    let store = StoreOf<Tally>(state: Tally(), env: ())
    try store.persist(\.self, in: snapshot(5))
    store.startRecording()
    #expect(store.actionLog?.changes.isEmpty == true)
    #expect(store.actionLog?.initial.count == 5)
  }

  @Test("A log has the restoring as a change without an action if recording starts before `persist`")
  func recordFirst() throws {
    let store = StoreOf<Tally>(state: Tally(), env: ())
    store.startRecording()
    try store.persist(\.self, in: snapshot(5))
    #expect(store.actionLog?.changes == [.state(Tally(count: 5))])
  }

  @Test("Continuing a log after `persist` sets the state, and later the saved one, to the log's end")
  func continueLast() throws {
    let (store, storage) = (StoreOf<Tally>(state: Tally(), env: ()), try snapshot(5))
    let saving = try store.persist(\.self, in: storage)
    var log = Log(initial: Tally())
    log.append(.action(.add(7)), leadingTo: Tally(count: 7))
    try store.startRecording(continuing: log)
    #expect(store.count == 7)
    try saving.save()
    #expect(try storage.value(Tally.self)?.count == 7)
    #expect(store.actionLog?.changes == [.action(.add(7))])
  }

  @Test("Persisting after a log was continued restores the snapshot, and the log records it")
  func continueFirst() throws {
    let store = StoreOf<Tally>(state: Tally(), env: ())
    var log = Log(initial: Tally())
    log.append(.action(.add(7)), leadingTo: Tally(count: 7))
    try store.startRecording(continuing: log)
    try store.persist(\.self, in: snapshot(5))
    #expect(store.count == 5)
    #expect(store.actionLog?.changes == [.action(.add(7)), .state(Tally(count: 5))])
    #expect(try store.actionLog?.replay().count == 5)
  }
}
