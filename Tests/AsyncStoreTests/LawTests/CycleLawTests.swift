import Testing

@testable import AsyncStore

@Suite("Law 8: joins in a cycle")
struct CycleLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  func joining(_ name: String, _ other: String, after gate: Gate) -> Effect {
    .concatenate(.logTask("\(name) begins", after: gate), .join(other), .log("\(name) ends")).id(name)
  }

  @Test("Two effects that join each other both end, and the instrument is notified of their identifiers")
  func law08_joinsInACycle() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    let handles = [store.receive(joining("a", "b", after: gate)), store.receive(joining("b", "a", after: gate))]
    harness.settle()
    gate.open()
    harness.settle()
    #expect(Set(store.log) == ["a begins", "b begins", "a ends", "b ends"])
    #expect(handles.map { $0.outcomeIfSettled?.word } == ["finished", "finished"])
    #expect(recorder.lines.filter { $0.hasPrefix("cycle") } == ["cycle of joins a, b"])
    #expect(store.remains == [])
  }

  @Test("An effect joins one that stands in line behind it, and both end")
  func law08_joinOfWhatIsInLine() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let (first, second) = (Gate(), Gate())
    store.receive(
      .concatenate(.logTask("a", after: first), .join("b"), .log("a ends")).id("a", .queue()))
    store.receive(
      .concatenate(.logTask("b", after: second), Effect.log("b inside a").id("a", .queue()), .log("b ends")).id("b"))
    harness.settle()
    first.open()
    harness.settle()
    #expect(store.log == ["a"])
    second.open()
    harness.settle()
    #expect(store.log == ["a", "b", "a ends", "b inside a", "b ends"])
    #expect(recorder.lines.filter { $0.hasPrefix("cycle") } == ["cycle of joins a, b"])
    #expect(store.remains == [])
  }

  @Test("A cleanup in a cancelled effect joins an effect that joins the scope around it", arguments: [false, true])
  func law08_joinInACleanupUnderWay(cleanupIsFirst: Bool) {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gates = (cleanup: Gate(), other: Gate())
    let cleanup = Effect.concatenate(.logTask("cleans up", after: gates.cleanup), .join("two"))
    let handles = [
      store.receive(.concatenate(.log("one").finally(cleanup).id("one"), .log("zero")).id("zero")),
      store.receive(.concatenate(.logTask("two", after: gates.other), .join("zero")).id("two")),
    ]
    harness.settle()
    store.receive(.cancel("one"))
    (cleanupIsFirst ? gates.cleanup : gates.other).open()
    harness.settle()
    (cleanupIsFirst ? gates.other : gates.cleanup).open()
    harness.settle()
    #expect(handles.map { $0.outcomeIfSettled?.word } == ["finished", "finished"])
    #expect(recorder.lines.count { $0.hasPrefix("cycle") } == 1)
    #expect(store.remains == [])
  }

  @Test("A cleanup in a loser of a race joins what waits for the race")
  func law08_joinInALosersCleanup() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let loser = Effect.log("begins").finally(.concatenate(.sleep(.seconds(1)), .join("b"), .log("given back")))
    let handles = [
      store.receive(.concatenate(.race(loser, .sleep(.seconds(3))), .log("a")).id("a")),
      store.receive(.concatenate(.sleep(.seconds(2)), .join("a"), .log("b")).id("b")),
    ]
    harness.advance(by: .seconds(2))
    #expect(recorder.lines.count { $0.hasPrefix("cycle") } == 0)
    harness.advance(by: .seconds(1))
    #expect(handles.map { $0.outcomeIfSettled?.word } == ["finished", "finished"])
    #expect(store.log == ["begins", "given back", "a", "b"])
    #expect(recorder.lines.count { $0.hasPrefix("cycle") } == 1)
    #expect(store.remains == [])
  }

  @Test("A join that closes no cycle waits, though others join the scope that it is part of")
  func law08_chainOfJoins() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    store.receive(Effect.logTask("c", after: gate).id("c"))
    store.receive(.concatenate(.join("c"), .log("b")).id("b"))
    store.receive(.concatenate(.join("b", "c"), .log("a")).id("a"))
    harness.settle()
    #expect(store.log == [])
    gate.open()
    harness.settle()
    #expect(store.log == ["c", "b", "a"])
    #expect(recorder.lines.filter { $0.hasPrefix("cycle") } == [])
    #expect(store.remains == [])
  }
}
