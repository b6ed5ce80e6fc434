import Foundation
import Synchronization
import Testing

@testable import AsyncStoreActions

@Suite("A log of actions")
struct ActionLogTests {
  let store = BoardStore()

  @Test("An action log records every action that reaches the model, and replays to the same states")
  func replay() async throws {
    store.startRecording(checkpointEvery: 1)
    store.send([.add(1), .log("a")])
    await store.run(.load)
    store.scope(\.left, actions: Board.Action.left).send(.twice)
    let log = try #require(store.actionLog)
    #expect(
      log.changes.elementsEqual([
        .action(.add(1)), .action(.log("a")), .action(.load), .action(.loaded("text")), .action(.left(.twice)),
        .action(.left(.increment)), .action(.left(.increment)),
      ]))
    var totals: [Int] = []
    let last = try log.replay { _, state in totals.append(state.left.count) }
    #expect(last == store.state)
    #expect(totals == [0, 0, 0, 0, 0, 0, 1, 2])
  }

  @Test("An action log records a change without an action as the resulting state")
  func otherChanges() throws {
    store.startRecording()
    store.send(.add(1))
    store.receive(.set(\.total, to: 10))
    store.send(.add(1))
    let log = try #require(store.actionLog)
    #expect(log.changes.elementsEqual([.action(.add(1)), .state(Board(total: 10)), .action(.add(1))]))
    #expect(try log.replay() == Board(total: 11))
  }

  @Test("An action log records actions as middleware changed them, and none that middleware stopped")
  func middleware() throws {
    store.install(
      Middleware { _, action in
        switch action {
        case .keep: nil
        case .add(let number): .add(number * 2)
        default: action
        }
      })
    store.startRecording()
    store.send([.keep, .add(2)])
    #expect(try #require(store.actionLog).changes.elementsEqual([.action(.add(4))]))
  }

  @Test("Replaying an action log throws an error if it diverges from a recorded state")
  func divergence() throws {
    var log = ActionLog(initial: Board(), checkpointEvery: 2)
    log.append(.action(.add(1)), leadingTo: Board(total: 1))
    log.append(.action(.add(1)), leadingTo: Board(total: 3))
    let error = #expect(throws: ActionLogError.self) { try log.replay() }
    #expect(error?.code == .diverged)
    #expect(error?.description.contains("0..<2") == true)
  }

  @Test("An action log keeps no more changes than its capacity, and still replays")
  func bounded() throws {
    store.startRecording(capacity: 10, checkpointEvery: 7)
    for number in 0..<5_000 { store.send(.add(number)) }
    let log = try #require(store.actionLog)
    #expect(log.indices == 4_990..<5_000)
    #expect(log.changes.count == 10)
    #expect(log[4_995] == .action(.add(4_995)))
    #expect(try log.replay() == store.state)
    #expect(log.initial.total == (0..<4_990).reduce(0, +))
    #expect(log.checkpoints.count <= 3)
  }

  @Test("An action log returns the state at each index")
  func statesByIndex() throws {
    store.startRecording(checkpointEvery: 3)
    for _ in 0..<10 { store.send(.add(1)) }
    let log = try #require(store.actionLog)
    #expect((0...10).map { log.state(at: $0)?.total } == (0...10).map { $0 })
    #expect(log.state(at: 11) == nil)
    #expect(log.state(at: -1) == nil)
  }

  @Test("An action log survives encoding and decoding")
  func coding() throws {
    store.startRecording(capacity: 5, checkpointEvery: 2)
    for number in 0..<8 { store.send(.add(number)) }
    store.receive(.set(\.total, to: 1))
    let log = try #require(store.actionLog)
    let copy = try JSONDecoder().decode(ActionLog<Board>.self, from: JSONEncoder().encode(log))
    #expect(copy.indices == log.indices)
    #expect(copy.changes.elementsEqual(log.changes))
    #expect(copy.initial == log.initial)
    #expect(copy.checkpoints == log.checkpoints)
    #expect(try copy.replay() == store.state)
  }

  @Test("An action log survives being exported and imported as JSON lines")
  func jsonLines() throws {
    store.startRecording(checkpointEvery: 2)
    store.send([.add(1), .log("a\nb"), .cell("k", .increment)])
    store.receive(.set(\.total, to: 5))
    let log = try #require(store.actionLog)
    let data = try log.jsonLines()
    let copy = try ActionLog<Board>(jsonLines: data)
    #expect(copy.changes.elementsEqual(log.changes))
    #expect(copy.checkpoints == log.checkpoints)
    #expect(try copy.replay() == store.state)
    #expect(String(decoding: data, as: UTF8.self).split(separator: "\n").count == 1 + 4 + 2)
  }

  @Test("A log line that can't be read is refused with its number")
  func malformed() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    let text = String(decoding: try #require(store.actionLog).jsonLines(), as: UTF8.self)
    for (line, broken) in [
      (1, text.replacing("asyncstore-actions", with: "something")), (3, text.replacing("2", with: "2 2")), (1, ""),
      (3, String(text.prefix { $0 != "2" })),
    ] {
      let error = #expect(throws: ActionLogError.self) { try ActionLog<Board>(jsonLines: Data(broken.utf8)) }
      #expect(error?.code == .malformed)
      #expect(error?.line == line)
    }
  }

  @Test("An action log with an impossible first index is refused", arguments: [-1, .max])
  func impossibleIndex(index: Int) throws {
    store.startRecording()
    store.send(.add(1))
    let log = try #require(store.actionLog)
    let lines = String(decoding: try log.jsonLines(), as: UTF8.self).replacing(
      #""index":0"#, with: #""index":\#(index)"#)
    let error = #expect(throws: ActionLogError.self) { try ActionLog<Board>(jsonLines: Data(lines.utf8)) }
    #expect(error?.line == 1)
    let object = String(decoding: try JSONEncoder().encode(log), as: UTF8.self)
    let broken = Data(object.replacing(#""index":0"#, with: #""index":\#(index)"#).utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ActionLog<Board>.self, from: broken) }
  }

  @Test("An action log with a checkpoint outside of its range is refused", arguments: [-1, 2, .max])
  func impossibleCheckpoint(index: Int) throws {
    store.startRecording(checkpointEvery: 1)
    store.send(.add(1))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(try #require(store.actionLog)), as: UTF8.self)
    let broken = text.replacing(#"[{"index":1,"#, with: #"[{"index":\#(index),"#)
    #expect(broken != text)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ActionLog<Board>.self, from: Data(broken.utf8)) }
  }

  @Test("An action log that dropped its first changes is decoded even if it had a checkpoint before them")
  func droppedCheckpoint() throws {
    store.startRecording(checkpointEvery: 1)
    for _ in 0..<3 { store.send(.add(1)) }
    var lines = String(decoding: try #require(store.actionLog).jsonLines(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    // The state before the first change, as a line of its own.
    lines.insert(lines[2].replacing(#""total":1"#, with: #""total":0"#), at: 1)
    let log = try ActionLog<Board>(jsonLines: Data(lines.joined(separator: "\n").utf8), capacity: 2)
    let copy = try JSONDecoder().decode(ActionLog<Board>.self, from: JSONEncoder().encode(log))
    #expect(copy.indices == 1..<3)
    #expect(copy.checkpoints == log.checkpoints)
  }

  @Test("A store travels to any state of its action log, and back")
  func travelling() throws {
    store.startRecording(checkpointEvery: 2)
    for _ in 0..<5 { store.send(.add(1)) }
    try store.travel(to: 2)
    #expect(store.total == 2)
    #expect(store.actionLog?.count == 5)
    try store.travel(to: 5)
    #expect(store.total == 5)
    try store.travel(to: 0)
    #expect(store.total == 0)
    let error = #expect(throws: ActionLogError.self) { try store.travel(to: 6) }
    #expect(error?.code == .outOfRange)
  }

  @Test("A new action after travelling back drops the later changes from the action log")
  func newBranch() throws {
    store.startRecording(checkpointEvery: 1)
    for _ in 0..<5 { store.send(.add(1)) }
    try store.travel(to: 2)
    store.send(.add(100))
    let log = try #require(store.actionLog)
    #expect(log.changes.elementsEqual([.action(.add(1)), .action(.add(1)), .action(.add(100))]))
    #expect(try log.replay() == store.state)
  }

  @Test("A change without an action after travelling back is recorded, and drops the later changes")
  func otherChangesAfterJourney() throws {
    store.startRecording(checkpointEvery: 1)
    for _ in 0..<5 { store.send(.add(1)) }
    try store.travel(to: 2)
    store.receive(.set(\.total, to: 50))
    #expect(
      try #require(store.actionLog).changes.elementsEqual([
        .action(.add(1)), .action(.add(1)), .state(Board(total: 50)),
      ]))
    try store.travel(to: 1)
    store.reset(to: Board(total: 7))
    store.send(.add(1))
    let log = try #require(store.actionLog)
    #expect(log.changes.elementsEqual([.action(.add(1)), .state(Board(total: 7)), .action(.add(1))]))
    #expect(try log.replay() == store.state)
  }

  @Test("An action log records silent changes, including those of a part")
  func silentChanges() throws {
    store.startRecording(checkpointEvery: 1)
    store.receive(.silently { $0.total = 5 })
    store.child(\.left).receive(.silently { $0.count = 2 })
    store.send(.add(1))
    let log = try #require(store.actionLog)
    #expect(
      log.changes.elementsEqual([
        .state(Board(total: 5)), .state(Board(total: 5, left: Cell(count: 2))), .action(.add(1)),
      ]))
    #expect(try log.replay() == store.state)
  }

  @Test("Travelling does nothing if the action log has dropped the target for its capacity meanwhile")
  func journeyPastCapacity() async throws {
    let desk = Desk()
    let store = BoardStore(state: Board(), env: Service(), isolation: desk)
    try await desk.run { _ in
      store.startRecording(capacity: 2, checkpointEvery: 1)
      store.send([.add(1), .add(1)])
      // As if called from outside, both take place in a turn on the actor: what the journey goes to is still there now.
      store.send([.add(1), .add(1), .add(1)], isolation: nil)
      try store.travel(to: 0, isolation: nil)
    }
    await store.run(.add(1))
    #expect(store.total == 6)
    let log = try #require(store.actionLog)
    #expect(log.indices == 4..<6)
    #expect(try log.replay() == store.state)
  }

  @Test("Travelling does nothing if a new branch has replaced the target meanwhile")
  func journeyToDroppedBranch() async throws {
    let desk = Desk()
    let store = BoardStore(state: Board(), env: Service(), isolation: desk)
    try await desk.run { _ in
      store.startRecording(checkpointEvery: 1)
      store.send([.add(1), .add(1), .add(1), .add(1)])
      try store.travel(to: 3, isolation: nil)
      try store.travel(to: 1)
      store.send([.add(10), .add(10), .add(10)])
    }
    await store.run(.add(1))
    #expect(store.total == 32)
    let log = try #require(store.actionLog)
    #expect(log.indices == 0..<5)
    #expect(try log.replay() == store.state)
  }

  /// A model that calls out once, while a journey computes where it leads to.
  private struct Travelling: Model {
    typealias Action = Int
    static let encounter = Mutex<(@Sendable () -> Void)?>(nil)
    var total = 0

    static func update(_ state: inout Travelling, _ action: Int) -> Effect {
      state.total += action
      encounter.withLock { $0.take() }?()
      return .none
    }
  }

  @Test("Travelling reaches a state that is kept, even if later changes are dropped meanwhile")
  func journeyBeforeDroppedBranch() throws {
    for index in 1...5 {
      let store = StoreOf<Travelling>(state: Travelling(), env: ())
      store.startRecording()
      store.send([1, 1, 1, 1, 1])
      try store.travel(to: 3)
      Travelling.encounter.withLock { [unowned store] encounter in
        encounter = {
          store.send(10)
          try? store.travel(to: 4)
        }
      }
      try store.travel(to: index)
      #expect(store.total == (index <= 3 ? index : 13))
      store.send(100)
      #expect(try #require(store.actionLog).replay() == store.state)
    }
    // It is left alone by one to what was dropped, though more has been dropped, and its beginning has moved.
    let store = StoreOf<Travelling>(state: Travelling(), env: ())
    store.startRecording(capacity: 4)
    store.send([1, 1, 1, 1])
    Travelling.encounter.withLock { [unowned store] encounter in
      encounter = {
        try? store.travel(to: 1)
        store.send([10, 10, 10, 10, 10, 10])
        try? store.travel(to: 5)
        store.send(100)
      }
    }
    try store.travel(to: 3)
    #expect(store.total == 141)
  }

  @Test("An action log keeps one note of drops at the same index, however many there were")
  func dropsAtOneIndex() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    for number in 1...10 {
      try store.travel(to: 1)
      store.send(.add(number))
    }
    #expect(store.hub.recording?.drops.count == 1)
  }

  @Test("An action log with a capacity keeps few notes of drops, however many there were")
  func droppedBranches() throws {
    store.startRecording(capacity: 4)
    for _ in 0..<1_000 {
      store.send([.add(1), .add(1), .add(1)])
      let last = try #require(store.actionLog).indices.upperBound
      try store.travel(to: last - 1)
    }
    #expect(store.hub.recording?.dropCount == 999)
    #expect(try #require(store.hub.recording).drops.count <= 5)
  }

  @Test("A store that continues another store's action log records changes without an action")
  func otherChangesAfterContinuing() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    let other = BoardStore()
    try other.startRecording(continuing: #require(store.actionLog))
    other.receive(.set(\.total, to: 50))
    other.send(.add(4))
    let log = try #require(other.actionLog)
    #expect(
      log.changes.elementsEqual([.action(.add(1)), .action(.add(2)), .state(Board(total: 50)), .action(.add(4))]))
    #expect(try log.replay() == Board(total: 54))
  }

  @Test("A store can continue another store's action log")
  func continuing() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    let log = try #require(store.actionLog)
    let other = BoardStore()
    try other.startRecording(continuing: log)
    #expect(other.total == 3)
    other.send(.add(4))
    let more = try #require(other.actionLog)
    #expect(more.indices == 0..<3)
    #expect(try more.replay() == Board(total: 7))
  }

  @Test("A recording that starts after travelling back is not affected by it", arguments: [false, true])
  func newLogAfterJourney(isContinued: Bool) throws {
    store.startRecording()
    store.send([.add(1), .add(2), .add(3)])
    let log = try #require(store.actionLog)
    try store.travel(to: 1)
    if isContinued { try store.startRecording(continuing: log) } else { store.startRecording() }
    store.receive(.set { _ in })
    #expect(store.actionLog?.count == (isContinued ? 3 : 0), "nothing has changed")
    store.send(.add(4))
    let new = try #require(store.actionLog)
    #expect(new.changes.last == .action(.add(4)) && new.count == (isContinued ? 4 : 1))
    #expect(try new.replay() == store.state)
  }

  @Test("An action log replays to its end even while its store is at an earlier state")
  func replayAfterJourney() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    try store.travel(to: 1)
    #expect(try store.actionLog?.replay().total == 3)
  }

  @Test("An action log keeps the checkpoint at which a new branch begins")
  func checkpointAtBranch() throws {
    store.startRecording(checkpointEvery: 2)
    store.send([.add(1), .add(2), .add(3), .add(4)])
    try store.travel(to: 2)
    store.send(.add(5))
    #expect(store.actionLog?.checkpoints.mapValues(\.total) == [2: 3, 3: 8])
  }

  @Test("Travelling that waits for its turn does not affect a recording that starts meanwhile")
  func newLogBeforeJourney() async throws {
    let desk = Desk()
    let store = BoardStore(state: Board(), env: Service(), isolation: desk)
    try await desk.run { _ in
      store.startRecording(checkpointEvery: 1)
      store.send([.add(1), .add(2)])
      try store.travel(to: 1, isolation: nil)
      store.startRecording()
    }
    await store.run(.add(4))
    #expect(store.total == 7)
    #expect(store.actionLog?.changes == [.action(.add(4))])
  }

  @Test("An action log records the change after a rolled-back transaction that sent an action")
  func changeAfterConflict() async throws {
    store.startRecording()
    let late = StateTransaction<Board, Service>("late", attemptLimit: 1) { [store] draft in
      draft.send(.log("late"))
      _ = draft.total
      store.receive(.set(\.total, to: 5))
    }
    let run = store.begin(late)
    #expect("\(await run.outcome)".hasPrefix("failed"))
    store.receive(.set(\.total, to: 9))
    #expect(store.actionLog?.changes == [.state(Board(total: 5)), .state(Board(total: 9))])
  }

  @Test("An action log records actions from several threads in the order of their commits")
  func concurrency() async throws {
    store.startRecording(checkpointEvery: 1)
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<200 { store.send([.add(1), .left(.increment)]) } } }
    }
    let log = try #require(store.actionLog)
    #expect(log.count == 1_600)
    #expect(try log.replay() == store.state)
  }
}
