import Testing

@testable import AsyncStore

@Suite("Law 10: starting under an identifier in flight")
struct IdentifierLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("Starting under an identifier in flight replaces it, with the barrier, before the new one begins")
  func law10_replaceIsTheDefault() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    let old = store.receive(.logTask("old", after: gate).id("a"))
    harness.settle()
    recorder.clear()
    store.receive(.concatenate(.log("new"), .logTask("new task")).id("a"))
    #expect(recorder.lines.first == "cancelled [a] task")
    #expect(store.log == ["new"])
    gate.open()
    harness.settle()
    #expect(store.log == ["new", "new task"])
    #expect(old.outcomeIfSettled?.word == "cancelled")
    #expect(store.remains == [])
  }

  @Test("A timer that an effect has left running keeps its identifier in flight for keepFirst, and no place in a queue")
  func law10_leftRunning() {
    let store = harness.store()
    for policy in [IdentifierPolicy.keepFirst, .queue()] {
      store.receive(Effect.timer(.seconds(1), id: "t") { _ in .log("tick") }.id("a", policy))
      let second = store.receive(Effect.log("second").id("a", policy))
      harness.settle()
      #expect(second.outcomeIfSettled?.word == (policy == .keepFirst ? "dropped" : "finished"))
      harness.advance(by: .seconds(1))
      #expect(store.log == (policy == .keepFirst ? ["tick"] : ["second", "tick"]))
      store.receive(.cancel("a"))
      store.receive(.set(\.log, to: []))
      #expect(store.remains == [])
    }
  }

  @Test("The last of several effects with the same identifier in one merge runs")
  func law10_replaceWithinOneMerge() {
    let store = harness.store()
    let ran = Note<[Int]>([])
    let handle = store.receive(
      .merge(
        effects: (1...3).map { index in
          .task(id: "a") {
            ran.change { $0.append(index) }
            return .log(index)
          }
        }))
    harness.settle()
    #expect(ran.value == [3])
    #expect(store.log == ["3"])
    #expect(handle.isSettled)
    #expect(store.remains == [])
  }

  @Test("Keep-first drops the new effect and says so")
  func law10_keepFirst() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    store.receive(.logTask("first", after: gate).id("a", .keepFirst))
    let second = store.receive(.logTask("second").id("a", .keepFirst))
    #expect(second.outcomeIfSettled?.word == "dropped")
    #expect(recorder.lines.contains("dropped id"))
    harness.settle()
    gate.open()
    harness.settle()
    store.receive(.logTask("third").id("a", .keepFirst))
    harness.settle()
    #expect(store.log == ["first", "third"])
    #expect(store.remains == [])
  }

  @Test("Keep first drops an effect that its own scope starts under the scope's identifier")
  func law10_keepFirstInItsOwnScope() {
    let store = harness.store()
    let again = Effect.logTask("again").id("a", .keepFirst)
    store.receive(.concatenate(.task { again }, .log("next")).id("a", .keepFirst))
    harness.settle()
    #expect(store.log == ["next"])
    #expect(store.remains == [])
  }

  @Test("Within one merge, keep-first keeps the first")
  func law10_keepFirstWithinOneMerge() {
    let store = harness.store()
    store.receive(.merge(effects: (1...3).map { .logTask("\($0)").id("a", .keepFirst) }))
    harness.settle()
    #expect(store.log == ["1"])
  }

  @Test("A queue runs one after the other, first in, first out")
  func law10_queue() {
    let store = harness.store()
    let gate = Gate()
    for index in 1...4 { store.receive(.logTask("\(index)", after: gate).id("q", .queue())) }
    harness.settle()
    for index in 1...4 {
      #expect(gate.arrivals == index)
      gate.letOnePass()
      harness.settle()
    }
    #expect(store.log == ["1", "2", "3", "4"])
    #expect(store.remains == [])
  }

  @Test("A queue with a capacity drops an effect that finds it full")
  func law10_queueCapacity() {
    let store = harness.store()
    let gate = Gate()
    let handles = (1...4).map { store.receive(.logTask("\($0)", after: gate).id("q", .queue(capacity: 2))) }
    #expect(handles.map { $0.outcomeIfSettled?.word } == [nil, nil, nil, "dropped"])
    gate.open()
    harness.settle()
    #expect(store.log == ["1", "2", "3"])
    let none = store.receive(.logTask("5").id("r", .queue(capacity: 0)))
    #expect(none.outcomeIfSettled == nil)
    #expect(store.receive(.log("6").id("r", .queue(capacity: 0))).outcomeIfSettled?.word == "dropped")
    harness.settle()
    #expect(store.log == ["1", "2", "3", "5"])
  }

  @Test("Same-identifier starts of one merge queue up in order")
  func law10_queueWithinOneMerge() {
    let store = harness.store()
    let handle = store.receive(
      .merge(
        effects: (1...4).map { index in
          .concatenate(.log("\(index) begins"), .sleep(.seconds(1)), .log("\(index) ends")).id("q", .queue())
        }))
    harness.advance(by: .seconds(4))
    #expect(store.log == (1...4).flatMap { ["\($0) begins", "\($0) ends"] })
    #expect(handle.isSettled)
  }

  @Test("At most n effects run under an identifier at once, and the others wait in order", arguments: [1, 2, 3])
  func law10_atMost(count: Int) {
    let store = harness.store()
    let gate = Gate()
    for index in 1...6 { store.receive(.logTask("\(index)", after: gate).id("q", .atMost(count))) }
    harness.settle()
    for finished in 0..<6 {
      #expect(gate.waiterCount == min(count, 6 - finished))
      gate.letOnePass()
      harness.settle()
    }
    #expect(store.log == (1...6).map(\.description))
    #expect(store.remains == [])
  }

  @Test("Effects in line begin in order, even if two places come free at once")
  func law10_placesComeFreeAtOnce() {
    let store = harness.store()
    let holders = store.receive(
      .merge(effects: (1...2).map { _ in Effect.sleep(.seconds(9)).id("q", .atMost(2)) }))
    for index in 1...6 { store.receive(.log(index).id("q", .atMost(2))) }
    holders.cancel()
    #expect(store.log == (1...6).map(\.description))
    #expect(store.remains == [])
  }

  @Test("A line stays in order, even if those in it wait for different numbers of places")
  func law10_differentPolicies() {
    let store = harness.store()
    let holder = store.receive(.sleep(.seconds(9)).finally(.sleep(.seconds(1))).id("q"))
    holder.cancel()
    store.receive(.log("1").id("q", .replaceAfterCleanup))
    for index in 2...3 { store.receive(.log(index).id("q", .atMost(2))) }
    store.receive(.log(4).id("q", .queue()))
    for index in 5...7 { store.receive(.log(index).id("q", .atMost(3))) }
    harness.advance(by: .seconds(1))
    #expect(store.log == (1...7).map(\.description))
    #expect(store.remains == [])
  }

  @Test("An effect that finds a free place goes behind those that are about to begin, and is not dropped for them")
  func law10_newcomer() {
    let store = harness.store()
    let newcomer = Effect.log("newcomer").id("q", .atMost(9))
    let late = Effect.log("late").id("q", .atMost(9, capacity: 0))
    let holders = store.receive(
      .merge(
        effects: (1...3).map { index in
          // The second one's cleanup comes when the first one's place is free, and the one in line has not begun.
          Effect.sleep(.seconds(9)).id("q", .atMost(3)).finally(index == 2 ? .merge(newcomer, late) : .none)
        }))
    store.receive(.log("1").id("q", .atMost(3)))
    holders.cancel()
    #expect(store.log == ["1", "newcomer", "late"])
    #expect(store.remains == [])
  }

  @Test("Effects in line begin in the order in which they came, whatever those under the identifier do")
  func law10_linesInOrder() {
    for seed in 0..<UInt64(TestSize.cases / 40) {
      let harness = Harness()
      let store = harness.store()
      var generator = SplitMix64(seed: seed)
      var handles: [EffectHandle] = []
      for index in 1...12 {
        handles.append(store.receive(Self.queued(index, depth: 2, &generator)))
        if generator.next() % 4 == 0 { handles.randomElement(using: &generator)?.cancel() }
        if generator.next() % 4 == 0 { harness.advance(by: .seconds(1)) }
      }
      harness.advance(by: .seconds(100))
      let begun = store.log.compactMap { Int($0) }
      #expect(begun == begun.sorted(), "seed \(seed)")
      #expect(store.remains == [], "seed \(seed)")
    }
  }

  /// An effect that stands in line and logs its number when it begins.
  private static func queued(_ index: Int, depth: Int, _ generator: inout SplitMix64) -> Effect {
    let policies: [IdentifierPolicy] = [.queue(), .atMost(1), .atMost(2), .atMost(3), .atMost(9)]
    let policy = policies.randomElement(using: &generator) ?? .queue()
    let effect = Effect.concatenate(.log(index), anything(depth: depth, &generator)).id("q", policy)
    let others = anything(depth: 1, &generator)
    switch generator.next() % 4 {
    case 0: return .merge(effect, others)
    case 1: return effect.finally(others)
    case 2: return .concatenate(effect, others)
    default: return effect
    }
  }

  private static func anything(depth: Int, _ generator: inout SplitMix64) -> Effect {
    guard depth > 0 else { return .none }
    switch generator.next() % 6 {
    case 0: return .sleep(.seconds(Int(generator.next() % 4)))
    case 1: return .merge(anything(depth: depth - 1, &generator), anything(depth: depth - 1, &generator))
    case 2: return anything(depth: depth - 1, &generator).finally(anything(depth: depth - 1, &generator))
    case 3: return anything(depth: depth - 1, &generator).timeout(.seconds(1), else: .none)
    default: return .none
    }
  }

  @Test("Replace after cleanup begins only after the old operation has returned")
  func law10_replaceAfterCleanup() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("old", after: gate).id("a"))
    harness.settle()
    let second = store.receive(.logTask("second").id("a", .replaceAfterCleanup))
    store.receive(.logTask("third").id("a", .replaceAfterCleanup))
    harness.settle()
    #expect(store.log == [])
    #expect(second.outcomeIfSettled?.word == "cancelled", "a still newer one takes the place of one that waits")
    gate.open()
    harness.settle()
    #expect(store.log == ["third"])
    #expect(store.remains == [])
  }

  @Test("An effect that replaces after cleanup begins at once if there is nothing to clean up")
  func law10_replaceAfterCleanupAtOnce() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .log("old")).id("a"))
    store.receive(.log("new").id("a", .replaceAfterCleanup))
    #expect(store.log == ["new"])
    #expect(store.remains == [])
  }

  @Test("A task that restarts itself under its own identifier takes its own place")
  func law10_selfRestart() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(
        .task(id: "a") {
          .concatenate(.log("1"), .task(id: "a") { .log("2") }, .log("never"))
        }, .log("3")))
    harness.settle()
    #expect(store.log == ["1", "2", "3"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }
}
