import Synchronization
import Testing

@testable import AsyncStore

@Suite("The events for an instrument")
struct InstrumentEventTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let recorder = Recorder()

  private func records(_ isMeant: (InstrumentEvent.Kind) -> Bool) -> [EffectRecord] {
    recorder.events.filter { isMeant($0.kind) }.compactMap(\.effect)
  }

  private var begun: [EffectRecord] { records { if case .begun = $0 { true } else { false } } }
  private var committed: [EffectRecord] { records { if case .committed = $0 { true } else { false } } }

  @Test("An event names its effect by the number that the list of effects in flight shows, its parent and its tree")
  func numbers() throws {
    let store = harness.store(instrument: recorder)
    store.receive(.merge(.sleep(.seconds(1)), .sleep(.seconds(1)), .sleep(.seconds(1)).label("nap").id("a")).id("m"))
    let inFlight = store.inFlight
    #expect(inFlight.map(\.kind) == [.merge, .sleep, .sleep, .sleep])
    #expect(begun.map(\.id) == inFlight.dropFirst().map(\.id) && Set(inFlight.map(\.id)).count == 4)
    #expect(begun.map(\.parent) == inFlight.dropFirst().map(\.parent))
    #expect(begun.map(\.parent) == Array(repeating: inFlight[0].id, count: 3))
    #expect(Set(begun.map(\.tree)).count == 1)
    harness.advance(by: .seconds(1))
    let settled = records { if case .settled = $0 { true } else { false } }
    #expect(settled.map(\.id) == begun.map(\.id))
    store.receive(.sleep(.seconds(1)))
    #expect(begun.last?.parent == nil && begun.last?.tree != begun.first?.tree)
    store.deactivate()
  }

  @Test("No event names an effect by the number of another one, however often its place is reused")
  func fresh() {
    let store = harness.store(instrument: recorder)
    for _ in 0..<100 {
      store.receive(.merge(.sleep(.seconds(1)), .sleep(.seconds(1))).id("a"))
      store.receive(.set(\.count, to: 1))
      store.receive(.sleep(.seconds(1)).debounce(for: .seconds(1), id: "b"))
      harness.advance(by: .seconds(2))
    }
    let numbers = (begun + committed).map(\.id)
    // The two sleeps of the debounced effect are one path.
    #expect(numbers.count == 500 && Set(numbers).count == 400)
    #expect(committed.map(\.id) == committed.map(\.id).sorted())
  }

  @Test("An effect has the same number with an instrument and without one")
  func numbersWithoutInstrument() {
    let stores = [harness.store(), harness.store(instrument: recorder)]
    for store in stores {
      store.receive(.logTask("x").id("a"))
      harness.settle()
      store.receive(.merge(.sleep(.seconds(1)), .sleep(.seconds(1)).id("b")))
    }
    #expect(stores[0].inFlight.map(\.id) == stores[1].inFlight.map(\.id) && stores[0].inFlightCount == 3)
    for store in stores { store.deactivate() }
  }

  @Test("An instrument is notified once of the end of a store's binding to itself")
  func endOfABinding() {
    let store = harness.store(instrument: recorder)
    let gate = Gate()
    store.bind(id: "b", to: store, on: \.count) { _ in .logTask("x", after: gate) }
    store.receive(.set(\.count, to: 1))
    harness.settle()
    store.deactivate()
    gate.open()
    harness.settle()
    let settled = records { if case .settled = $0 { true } else { false } }
    #expect(settled.count { $0.effect.kind == .binding } == 1)
    #expect(store.remains == [])
  }

  @Test("The event of a commit says which effect has made it")
  func commits() {
    let store = harness.store(instrument: recorder)
    store.receive(.merge(.logTask("a"), .concatenate(.log("b"), .sleep(.seconds(1)), .log("c"))))
    harness.advance(by: .seconds(1))
    store.receive(.log("d"))
    _ = store.update { $0.count += 1 }
    let (task, sleep) = (begun[0].id, begun[1].id)
    let numbers = committed.map(\.id)
    #expect(store.log == ["b", "a", "c", "d"])
    #expect(Array(numbers[..<3]) == [sleep, task, sleep])
    #expect(Set(numbers).count == 4 && !numbers[3...].contains(task) && !numbers[3...].contains(sleep))
  }

  @Test("An event has the moment on the store's clock, and a deadline's event its own, however late it is")
  func moments() {
    let store = harness.store(instrument: recorder)
    harness.advance(by: .seconds(3))
    store.receive(.sleep(.seconds(2)))
    harness.jump(by: .seconds(7))
    #expect(recorder.events.map(\.moment) == [.seconds(3), .seconds(5)])
    store.receive(.set(\.count, to: 1))
    #expect(recorder.events.last?.moment == .seconds(10))
  }

  @Test("An event names the attempt of the nearest retry, and the effect that retries")
  func attempts() throws {
    let store = harness.store(instrument: recorder)
    let schedule = RetrySchedule.constant(.seconds(1)).limitedTo(attempts: 2)
    store.receive(.fail("x").timeout(.seconds(9)).retry(schedule))
    harness.advance(by: .seconds(2))
    let retry = try #require(records { if case .attempted = $0 { true } else { false } }.first?.id)
    #expect(begun.map(\.attempt?.number) == [1, 2])
    #expect(begun.allSatisfy { $0.attempt?.effect == retry && $0.attempt?.retry == begun[0].attempt?.retry })
    #expect(begun.allSatisfy { $0.id != retry })
    recorder.clear()
    store.receive(.task(retrying: schedule) { _ in throw Failure("y") })
    harness.advance(by: .seconds(2))
    #expect(begun.map(\.attempt?.number) == [1, 2])
    #expect(begun.allSatisfy { $0.attempt?.effect == $0.id && $0.attempt?.retry == begun[0].attempt?.retry })
    #expect(begun.count == 2 && begun[0].id == begun[1].id)
    recorder.clear()
    store.receive(.concatenate(.task(retrying: schedule) { _ in .none }, .task(retrying: schedule) { _ in .none }))
    harness.settle()
    #expect(begun.count == 2 && begun[0].id == begun[1].id)
    #expect(begun[0].attempt?.retry != begun[1].attempt?.retry, "one path has two retries")
    recorder.clear()
    store.receive(.sleep(.seconds(1)))
    #expect(begun.map(\.attempt) == [nil])
    store.deactivate()
  }

  @Test("Events tell an error that a recover takes from one that goes to mapError, or to nobody")
  func recoveries() {
    for mapError in [nil, { @Sendable _ in .none }] as [(@Sendable (any Error) -> Effect)?] {
      recorder.clear()
      let store = harness.store(instrument: recorder, mapError: mapError)
      store.receive(.fail("x").recover { _ in .fail("y") })
      store.receive(.sequence(.fail("z")).recover { _ in .none })
      store.receive(.fail("a").retry(.constant(.zero).limitedTo(attempts: 1)).recover { _ in .none })
      harness.settle()
      let errors = recorder.lines.filter { $0.hasPrefix("failed") || $0.hasPrefix("recovered") }
      #expect(Set(errors) == ["recovered task: x", "failed task: y", "recovered sequence: z", "recovered retry: a"])
      #expect(errors.count == 4)
    }
  }

  @Test("Events tell of waits, and of their ends")
  func waits() {
    func waits(_ body: (JournalStore) -> Void) -> [String] {
      let recorder = Recorder()
      let store = harness.store(instrument: recorder)
      body(store)
      store.deactivate()
      harness.settle()
      return recorder.events.map(\.words).filter { ["wait", "time", "tick"].contains($0.prefix(4)) }
    }
    let nap = Effect.sleep(.seconds(1))
    let inLine = waits { store in
      for _ in 0..<3 { store.receive(nap.id("q", .queue())) }
      harness.advance(by: .seconds(1))
      store.receive(.cancel("q"))
    }
    #expect(
      inLine == [
        "waiting [q] id: place", "waiting [q] id: place", "waited [q] id: place finished",
        "waited [q] id: place cancelled",
      ])
    let cleanup = waits { store in
      store.receive(nap.finally(nap).id("c"))
      store.receive(nap.id("c", .replaceAfterCleanup))
      harness.advance(by: .seconds(1))
    }
    #expect(cleanup == ["waiting [c] id: cleanup", "waited [c] id: cleanup finished"])
    let window = waits { store in
      for line in ["a", "b", "c"] { store.receive(.log(line).throttle(for: .seconds(1), id: "w")) }
      harness.advance(by: .seconds(1))
    }
    #expect(
      window == [
        "waiting [w] throttle: window", "waiting [w] throttle: window", "waited [w] throttle: window cancelled",
        "waited [w] throttle: window finished",
      ])
    let backOff = waits { store in
      store.receive(.fail("x").retry(.constant(.seconds(1)).limitedTo(attempts: 3)))
      harness.advance(by: .seconds(1))
    }
    #expect(backOff == ["waited retry: backOff finished", "waited retry: backOff cancelled"])
    let times = waits { store in
      store.receive(nap.timeout(.milliseconds(500)))
      store.receive(.timer(.seconds(1), id: "t") { _ in .none })
      harness.jump(by: .milliseconds(1100))
    }
    #expect(times == ["timed out timeout", "ticked [t] timer: 1 0.1 seconds"])
  }

  @Test("Events tell of the wait for a turn on the store's actor")
  func turns() {
    let store = harness.store(isolation: MainActor.shared, instrument: recorder)
    store.receive(.set(\.count, to: 1), isolation: nil)
    #expect(recorder.events.map(\.words) == ["waiting set: turn"])
    store.deactivate()
    #expect(recorder.events.map(\.words) == ["waiting set: turn", "waited set: turn cancelled"])
  }

  @Test("Events name the store, by its given name and a number of its own")
  func stores() {
    let named = JournalStore(state: Journal(), env: (), name: "orders", instrument: recorder)
    let other = JournalStore(state: Journal(), env: (), instrument: recorder)
    for store in [named, other] { store.receive(.set(\.count, to: 1)) }
    #expect(recorder.events.map(\.store) == [named.identity, other.identity])
    #expect(recorder.events.map(\.store.name) == ["orders", nil])
    let plain = JournalStore(state: Journal(), env: (), name: "plain").identity
    #expect(plain.name == "plain" && "\(plain)" == "plain")
    #expect(Set([plain.number, named.identity.number, other.identity.number]).count == 3)
  }
}
