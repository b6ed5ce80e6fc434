import Testing

@testable import AsyncStore

@Suite("Law 6: state")
struct StateLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A thousand additions by a thousand tasks add a thousand")
  func law06_additionsAddUp() {
    let store = harness.store()
    store.receive(.merge(effects: (0..<1_000).map { _ in .task { .set { $0.count += 1 } } }))
    harness.settle()
    #expect(store.count == 1_000)
  }

  @Test("No reader, stream or binding sees half a mutation")
  func law06_noHalfMutationIsSeen() throws {
    struct Pair: Sendable, Equatable { var left = 0; var right = 0 }
    let store = harness.store(of: Pair(), env: ())
    let down = harness.store()
    let seen = Note<[Pair]>([])
    down.bind(id: "b", to: store, on: \.self) { pair in
      seen.change { $0.append(pair) }
      return .none
    }
    let reader = harness.start { await store.values(of: \.self).prefix(101).reduce(into: []) { $0.append($1) } }
    harness.settle()
    for number in 1...100 {
      store.receive(
        .set {
          $0.left = number
          $0.right = number
        })
    }
    harness.settle()
    let expected = (0...100).map { Pair(left: $0, right: $0) }
    #expect(seen.value == expected)
    #expect(reader.value == expected)
  }

  @Test("Sets of one sequential path apply in order")
  func law06_setsApplyInOrder() {
    let store = harness.store()
    store.receive(
      .concatenate(
        .log("1"), .concatenate(.log("2"), .update { _ in .log("3") }), .logTask("4"), .log("5"),
        .read { _ in .log("6") }))
    harness.settle()
    #expect(store.log == ["1", "2", "3", "4", "5", "6"])
  }

  @Test("Everything up to the first wait has been committed when receive returns")
  func law06_synchronousPrefix() {
    let store = harness.store()
    store.receive(
      .concatenate(
        .log("1"),
        .update {
          $0.count = 1; return .log("2")
        }, .sleep(.zero), .log("3"), .task { .log("5") }, .log("6")))
    #expect(store.log == ["1", "2", "3"])
    #expect(store.count == 1)
    harness.settle()
    #expect(store.log == ["1", "2", "3", "5", "6"])
  }

  @Test("In a merge each child's own prefix is committed, in order")
  func law06_synchronousPrefixOfAMerge() {
    let store = harness.store()
    store.receive(
      .merge(
        .concatenate(.log("a1"), .log("a2"), .sleep(.seconds(1)), .log("a3")),
        .concatenate(.log("b1"), .merge(.log("b2"), .log("b3")), .logTask("b4")),
        .log("c1")))
    #expect(store.log == ["a1", "a2", "b1", "b2", "b3", "c1"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["a1", "a2", "b1", "b2", "b3", "c1", "b4", "a3"])
  }

  @Test("The prefix is visible to bindings of other stores before receive returns")
  func law06_prefixReachesBindings() {
    let (store, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: store, on: \.count) { .set(\.count, to: $0) }
    store.receive(.concatenate(.set(\.count, to: 4), .sleep(.seconds(1))))
    #expect(down.count == 4)
  }

  @Test("Update decides and changes in one commit")
  func law06_updateIsOneCommit() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.receive(
      .update {
        $0.count += 1
        return .log("\($0.count)")
      })
    #expect(store.log == ["1"])
    #expect(recorder.lines == ["committed update", "committed set"])
  }

  @Test("Read sees the state at the moment it is reached")
  func law06_readSeesTheMoment() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .read { .log("\($0.count)") }))
    store.receive(.set(\.count, to: 7))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["7"])
  }

  @Test("The helpers for collections insert and remove")
  func collectionHelpers() {
    let store = harness.store()
    store.receive(
      .concatenate(
        .removeFirst(from: \.log), .removeLast(from: \.log), .append("b", to: \.log), .insert("a", into: \.log, at: 0),
        .append("c", to: \.log), .append("d", to: \.log), .remove(from: \.log, at: 1)))
    #expect(store.log == ["a", "c", "d"])
    store.receive(.concatenate(.removeFirst(from: \.log), .removeLast(from: \.log)))
    #expect(store.log == ["c"])
  }

  @Test("One state is read without tearing and without copying")
  func withStateReadsOneState() {
    let store = harness.store(Journal(count: 2, other: 3))
    #expect(store.withState { $0.count + $0.other } == 5)
    #expect(throws: Failure("x")) { try store.withState { _ throws(Failure) in throw Failure("x") } }
    store.receive(.set(\.count, to: 1))
    #expect(store.count == 1)
  }
}
