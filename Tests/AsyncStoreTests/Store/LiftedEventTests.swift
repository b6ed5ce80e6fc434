import Testing

@testable import AsyncStore

@Suite("The events of lifted effects")
struct LiftedEventTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let recorder = Recorder()

  private var lifted: [(effect: EffectRecord?, origin: EffectOrigin, store: StoreIdentity)] {
    recorder.events.compactMap { event in
      if case .lifted(let origin) = event.kind { (event.effect, origin, event.store) } else { nil }
    }
  }

  @Test("A lifted effect is reported to its store, before anything else, with the effect that lifts it")
  func origins() throws {
    let (top, middle, bottom) = (
      harness.store(instrument: recorder), harness.store(instrument: recorder), harness.store(instrument: recorder)
    )
    let inner = Effect.concatenate(.log("there"), .sleep(.seconds(1)))
    top.receive(.concatenate(.logTask("1"), .lift(.lift(inner, to: bottom).label("relay"), to: middle).id("a")))
    harness.settle()
    #expect(lifted.map(\.store) == [middle.identity, bottom.identity])
    #expect(lifted.map(\.origin.store) == [top.identity, middle.identity])
    let (first, second) = (try #require(top.inFlight.last), try #require(middle.inFlight.last))
    #expect(lifted.map(\.origin.effect) == [first.id, second.id])
    #expect(lifted.map(\.effect?.effect.kind) == [.label, .concatenate])
    for (store, entry) in zip([middle, bottom], lifted) {
      let events = recorder.events.filter { $0.store == store.identity }
      guard case .lifted? = events.first?.kind else { return #expect(Bool(false), "\(events)") }
      #expect(Set(events.map(\.effect?.tree)) == [entry.effect?.id] && entry.effect?.tree == entry.effect?.id)
    }
    top.deactivate()
    harness.settle()
  }

  @Test("A lift that begins nothing in another store is not reported")
  func nothingLifted() {
    let (store, other) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    store.receive(.lift(.log("in place"), to: store))
    other.deactivate()
    store.receive(.lift(.log("refused"), to: other))
    store.receive(.concatenate(.lift(.sleep(.seconds(1)), to: store).id("a"), .lift(.log("later"), to: other)))
    store.receive(.cancel("a"))
    harness.settle()
    #expect(lifted.isEmpty)
  }

  @Test("A store without an instrument lifts into one that has an instrument, and is named by its number")
  func unseenOrigin() {
    let (store, other) = (harness.store(), harness.store(instrument: recorder))
    store.receive(.lift(.log("there"), to: other).retry(.constant(.seconds(1))))
    #expect(lifted.map(\.origin.store) == [store.identity] && lifted[0].origin.store.name == nil)
  }

  @Test("A recorded trace leads from a lift to what begins first in the other store, through any number of stores")
  func arrows() throws {
    let trace = TraceRecorder()
    let stores = ["orders", "payments", "board"].map { name in
      JournalStore(
        state: Journal(), env: (), name: name, clock: harness.clock, executor: harness.executor, seed: 0,
        instrument: trace)
    }
    let last = Effect.concatenate(.log("x"), .sleep(.seconds(1)).label("show"))
    stores[0].receive(
      .lift(.concatenate(.sleep(.seconds(1)).label("check"), .lift(last, to: stores[2])), to: stores[1]).label("pay"))
    harness.advance(by: .seconds(3))
    let reader = try StrictTraceReader(trace.chromeTrace)
    #expect(reader.flows.map { "\($0.from.name) > \($0.to.name)" } == ["pay > check", "lift > show"])
    #expect(reader.flows.allSatisfy { $0.from.process != $0.to.process && $0.from.start <= $0.to.start })
    let lines = trace.jsonLines.split(separator: "\n").filter { $0.contains(#""event":"lifted""#) }
    #expect(lines.count == 2 && lines[0].contains(#""originStore":"orders","originEffect":"#))
  }
}
