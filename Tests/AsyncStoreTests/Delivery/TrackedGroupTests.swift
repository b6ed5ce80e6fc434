import Observation
import Testing

@testable import AsyncStore

@Suite("Observation's tracking of one source")
struct TrackedGroupTests {
  struct Table: Sendable {
    var rows: [Int]
    var other = 0

    /// A value that is not part of the tracked source, and that can't trap.
    subscript(row index: Int) -> Int? { rows.indices.contains(index) ? rows[index] : nil }
  }

  /// Reports changes without a changed value.
  final class Model: Observable, Sendable {
    let registrar = ObservationRegistrar()
    var value: Int { 0 }
    func read() { registrar.access(self, keyPath: \.value) }
    func change() { registrar.withMutation(of: self, keyPath: \.value) {} }
  }

  /// Counts in `comparisons` how often the rows are compared as a whole.
  private func source(_ comparisons: Note<Int> = Note(0)) throws -> TrackedSource<Table> {
    let rows = try #require(TrackedSource(\Table.rows))
    return TrackedSource(id: rows.id) { state in
      let isSame = rows.remember(state)
      return { state in
        comparisons.change { $0 += 1 }
        return isSame(state)
      }
    }
  }

  private func track(_ body: () -> Void) -> Note<Int> {
    let changes = Note(0)
    withObservationTracking(body) { changes.change { $0 += 1 } }
    return changes
  }

  private func tracksNothing(_ store: AsyncStore<Table, Void>) -> Bool {
    store.runtime.lock { $0.observers.isEmpty }
  }

  @Test(
    "A commit of something else compares a tracked source once, however much of it is tracked", arguments: [10, 1_000])
  func oneComparison(_ size: Int) throws {
    let comparisons = Note(0)
    let source = try source(comparisons)
    let store = AsyncStore(state: Table(rows: Array(0..<size)), env: ())
    let changes = track { for index in 0..<size { _ = store.read(total: \.[row: index], from: source) } }
    comparisons.change { $0 = 0 }
    for number in 1...100 { store.receive(.set(\.other, to: number)) }
    #expect(comparisons.value == 100)
    #expect(changes.value == 0)
    store.receive(.set { $0.rows[size - 1] = -1 })
    #expect(changes.value == 1)
  }

  @Test("The copy of a tracked source may call the store when it is released")
  func endOfTheCopy() throws {
    final class Row: Sendable {
      let end: @Sendable () -> Void
      init(_ end: @escaping @Sendable () -> Void) { self.end = end }
      deinit { end() }
    }
    struct Rows: Sendable {
      var rows: [Row] = []
      var ended = 0
      subscript(row index: Int) -> Int? { rows.indices.contains(index) ? index : nil }
    }
    let source = try #require(TrackedSource(\Rows.rows))
    let store = AsyncStore(state: Rows(), env: ())
    let end: @Sendable () -> Void = { [weak store] in store?.receive(.set { $0.ended += 1 }) }
    store.receive(.set { $0.rows = [Row({}), Row(end)] })
    let changes = track { _ = store.read(total: \.[row: 0], from: source) }
    // From here on only the copy keeps it, and nothing does after the next change.
    store.receive(.set { _ = $0.rows.popLast() })
    store.receive(.set { $0.rows.append($0.rows[0]) })
    #expect(store.withState { $0.ended } == 1)
    #expect(changes.value == 0)
    // It is kept for the tracking observer, and is not tracked any more after the notification.
    store.receive(.set { $0.rows = [] })
    #expect(changes.value == 1)
  }

  @Test("A reader that came after a silent change is notified of the next change of its source")
  func silentChange() throws {
    let source = try source()
    let store = AsyncStore(state: Table(rows: [1, 2]), env: ())
    let before = store.state.rows
    let first = track { _ = store.read(total: \.[row: 0], from: source) }
    store.receive(.setSilently({ $0.rows[1] = 3 }, #fileID, #line))
    let second = track { #expect(store.read(total: \.[row: 1], from: source) == 3) }
    store.receive(.set { $0.rows = before })
    #expect(first.value == 0)
    #expect(second.value == 1)
  }

  @Test("A tracked source is forgotten with its last tracker, even if that one leaves in the middle of a commit")
  func leavers() throws {
    let source = try source()
    let model = Model()
    let store = AsyncStore(state: Table(rows: [1, 2]), env: ())
    let stays = track { _ = store.read(total: \.[row: 0], from: source) }
    let leaves = track { _ = (store.read(total: \.[row: 1], from: source), model.read()) }
    store.receive(.set { _ in model.change() })
    #expect(leaves.value == 1)
    store.receive(.set(\.other, to: 1))
    #expect(store.runtime.lock { $0.observers.group(of: source).members.count } == 1)
    #expect(stays.value == 0)
    store.receive(.set { $0.rows[0] = 5 })
    #expect(stays.value == 1)
    #expect(tracksNothing(store))
  }

  @Test("A source is tracked again once it has been forgotten")
  func again() throws {
    let source = try source()
    let store = AsyncStore(state: Table(rows: [1]), env: ())
    for number in 2...4 {
      let changes = track { _ = store.read(total: \.[row: 0], from: source) }
      store.receive(.set { $0.other += 1 })
      #expect(changes.value == 0)
      store.receive(.set { $0.rows[0] = number })
      #expect(changes.value == 1)
      #expect(tracksNothing(store))
    }
  }
}
