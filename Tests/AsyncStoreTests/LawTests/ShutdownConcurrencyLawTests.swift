import Dispatch
import Foundation
import Testing

@testable import AsyncStore

@Suite("Law 19: a shutdown beside cancels, other shutdowns, deactivations and readers")
struct ShutdownConcurrencyLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A shutdown whose task is cancelled is the hard stop")
  func cancelled() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("never", after: gate).finally(.log("never")))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    shutdown.cancel()
    harness.settle()
    #expect(shutdown.error is CancellationError)
    #expect(store.phase == .inactive)
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
    #expect(harness.sleeperCount == 0)
  }

  @Test("Two shutdowns return what was cancelled, also the one whose draining would have ended later")
  func twoLists() {
    let store = harness.store()
    store.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(5))).id("slow"))
    let shutdowns = [1, 2].map { seconds in
      harness.start { try await store.shutdown(drain: .seconds(seconds), cleanup: .seconds(9)) }
    }
    harness.advance(by: .seconds(6))
    for shutdown in shutdowns { #expect(shutdown.value?.compactMap(\.identifier) == ["slow"]) }
  }

  @Test("Activating ends a shutdown, and what is in flight continues")
  func reactivated() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .log("1")))
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    store.activate()
    harness.settle()
    #expect((shutdown.error as? AsyncStoreError)?.code == .reactivated)
    store.receive(.timer(.seconds(1), id: "t") { _ in .log("tick") })
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1", "tick"])
    #expect(harness.sleeperCount == 1)
  }

  @Test("Deactivating during a shutdown is the hard stop, and the shutdown names what was stopped")
  func deactivated() throws {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("never", after: gate).finally(.log("never")).id("order"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    store.deactivate()
    harness.settle()
    let error = try #require(shutdown.error as? AsyncStoreError)
    #expect(error.code == .deactivated)
    #expect(error.inFlight.compactMap(\.identifier) == ["order"])
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A shutdown that stops hard tells the others")
  func hardStopOfAnother() throws {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)).finally(.sleep(.seconds(100))).label("slow"))
    let patient = harness.start { try await store.shutdown(drain: nil, cleanup: nil) }
    let hurried = harness.start { try await store.shutdown(drain: .zero, cleanup: .seconds(1)) }
    harness.advance(by: .seconds(1))
    #expect((hurried.error as? AsyncStoreError)?.code == .stillRunning)
    #expect((patient.error as? AsyncStoreError)?.code == .deactivated)
    #expect((patient.error as? AsyncStoreError)?.inFlight.isEmpty == false)
    #expect(store.remains == [])
  }

  @Test("Shutdowns whose time is over at one moment all name what had not ended", arguments: [2, 5])
  func endAtOneMoment(count: Int) throws {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)).finally(.sleep(.seconds(100)).id("hangs")))
    let shutdowns = (0..<count).map { _ in
      harness.start { try await store.shutdown(drain: .zero, cleanup: .seconds(1)) }
    }
    harness.advance(by: .seconds(1))
    for shutdown in shutdowns {
      let error = try #require(shutdown.error as? AsyncStoreError)
      #expect([.stillRunning, .deactivated].contains(error.code))
      #expect(error.inFlight.compactMap(\.identifier) == ["hangs"])
    }
    #expect(store.remains == [])
  }

  @Test("A cleanup that ends at the moment when the time for it is over has ended in time")
  func cleanedUpAtTheLastMoment() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(.sleep(.seconds(100)).finally(.lift(.sleep(.seconds(100)), to: other)).id("order"))
    let shutdown = harness.start { try await store.shutdown(drain: .zero, cleanup: .seconds(1)) }
    harness.settle()
    let end = harness.start {
      try await store.runtime.sleep(until: store.runtime.time.now().advanced(by: 1_000_000_000))
      other.deactivate()
    }
    harness.advance(by: .seconds(1))
    #expect(end.isFinished && shutdown.error == nil)
    #expect(shutdown.value?.compactMap(\.identifier).first == "order")
    #expect(store.remains == [])
  }

  @Test("A deactivation at the moment when the time for the cleanup is over leaves a shutdown something to name")
  func deactivatedInTheEnd() throws {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)).finally(.sleep(.seconds(100)).id("hangs")))
    let shutdown = harness.start { try await store.shutdown(drain: .zero, cleanup: .seconds(1)) }
    harness.settle()
    let deactivation = harness.start {
      try await store.runtime.sleep(until: store.runtime.time.now().advanced(by: 1_000_000_000))
      store.deactivate()
    }
    harness.advance(by: .seconds(1))
    #expect(deactivation.error == nil)
    let error = try #require(shutdown.error as? AsyncStoreError)
    #expect(error.inFlight.compactMap(\.identifier) == ["hangs"])
    #expect(store.remains == [])
  }

  @Test("Two shutdowns share the phases, each with its own limits")
  func twice() throws {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)).finally(.log("undone")))
    let patient = harness.start { try await store.shutdown(drain: .seconds(50)) }
    let hurried = harness.start { try await store.shutdown(drain: .seconds(1)) }
    harness.advance(by: .seconds(1))
    #expect(store.log == ["undone"])
    #expect(hurried.value?.map(\.kind) == [.finally, .sleep])
    #expect(patient.value?.map(\.kind) == [.finally, .sleep])
    #expect(harness.sleeperCount == 0)
    store.activate()
    #expect(try harness.wait { try await store.shutdown() }.isEmpty)
  }

  @Test("A cleanup that had begun before is not listed as cancelled")
  func cleanupIsNotCancelled() {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)).finally(.concatenate(.sleep(.seconds(3)), .log("undone"))).id("a"))
    store.receive(.concatenate(.none.finally(.concatenate(.sleep(.seconds(3)), .log("last"))), .log("never")))
    store.receive(.sleep(.seconds(100)).label("b"))
    store.receive(.cancel("a"))
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(1)) }
    harness.advance(by: .seconds(3))
    #expect(Set(store.log) == ["undone", "last"])
    #expect(shutdown.value?.compactMap(\.label) == ["b"])
    #expect(shutdown.value?.contains { $0.identifier == EffectID("a") } == false)
  }

  @Test("A store that is activated again at once after a hard stop is left alone by the shutdown that this ended")
  func activatedAfterHardStop() {
    let store = harness.store()
    store.receive(.sleep(.seconds(100)))
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    store.deactivate()
    store.activate()
    store.receive(.concatenate(.sleep(.seconds(1)), .log("1")))
    harness.settle()
    #expect((shutdown.error as? AsyncStoreError)?.code == .deactivated)
    #expect(store.isActive)
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1"])
  }

  @Test("A store that is inactive or idle is shut down at once")
  func idle() throws {
    let store = harness.store()
    #expect(try harness.wait { try await store.shutdown() }.isEmpty)
    #expect(try harness.wait { try await store.shutdown() }.isEmpty)
    #expect(store.phase == .inactive)
  }

  @Test("The values of a property are read until the store is inactive")
  func readers() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .set(\.count, to: 1)))
    let first = harness.start { [values = store.values(of: \.count)] in await values.reduce(into: []) { $0.append($1) }
    }
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    let late = harness.start { [values = store.values(of: \.count)] in await values.reduce(into: []) { $0.append($1) } }
    harness.advance(by: .seconds(1))
    #expect(shutdown.isFinished)
    #expect(first.value == [0, 1])
    #expect(late.value == [0, 1])
  }

  @Test(
    "Effects that a lift leaves running are waited for in a drain, and while they clean up",
    arguments: [true, false]
  )
  func liftedRemainder(isKept: Bool) {
    let (store, gate) = (harness.store(), Gate())
    var other: JournalStore? = harness.store()
    let cleaned = Note(false)
    // It settles after a second, and leaves a timer whose tick is under way.
    let cleanUp = Effect.concatenate(
      .task {
        await gate.wait()
        return .none
      }, .set { _ in cleaned.value = true })
    let tick = Effect.sleep(.seconds(1000)).finally(cleanUp)
    store.receive(
      .lift(.concatenate(.timer(.milliseconds(500), id: "t") { _ in tick }, .sleep(.seconds(1))), to: other!))
    let kept = isKept ? other : nil
    other = nil
    harness.advance(by: .milliseconds(600))
    let shutdown = harness.start { try await store.shutdown() }
    harness.advance(by: .seconds(1))
    #expect(!shutdown.isFinished && !cleaned.value)
    harness.advance(by: .seconds(20))
    #expect(!shutdown.isFinished && !cleaned.value)
    gate.open()
    harness.settle()
    #expect(shutdown.isFinished && cleaned.value)
    withExtendedLifetime(kept) {}
  }

  @Test("A store on an actor is shut down from anywhere")
  func onAnActor() async throws {
    actor Screen {
      func receive(_ effect: Effect, in store: JournalStore) { store.receive(effect) }
    }
    let screen = Screen()
    let store = AsyncStore(state: Journal(), env: (), isolation: screen)
    await screen.receive(.logTask("1"), in: store)
    try await store.shutdown(drain: nil)
    #expect(store.log == ["1"])
    #expect(store.phase == .inactive)
  }

  /// Two bound stores, of which another thread notifies the second of a value until ``release()``.
  private struct BusyBinding {
    let up = JournalStore(state: Journal(), env: ())
    let down = JournalStore(state: Journal(), env: ())
    private let goesOn = DispatchSemaphore(value: 0)

    init() {
      let (up, hasBegun, goesOn) = (up, DispatchSemaphore(value: 0), goesOn)
      down.bind(id: "up", to: up, on: \.count) { count in
        if count == 1 {
          hasBegun.signal()
          goesOn.wait()
        }
        return .set(\.count, to: count)
      }
      Thread.detachNewThread { up.receive(.set(\.count, to: 1)) }
      hasBegun.wait()
      up.receive(.set(\.count, to: 2))
    }

    func release() { goesOn.signal() }
  }

  @Test("A shutdown waits while another thread notifies bound stores of the last values")
  func lastValues() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let stores = BusyBinding()
    let hasEnded = Note(false)
    let shutdown = Task.immediate {
      try await stores.up.shutdown(cleanup: nil)
      hasEnded.value = true
    }
    #expect(!hasEnded.value && stores.up.phase == .inactive && stores.down.count == 0)
    stores.release()
    try await shutdown.value
    try await stores.down.shutdown()
    #expect(stores.down.count == 2)
  }

  @Test("A shutdown waits for the turn on its actor in which the store notifies bound stores")
  func lastValuesOnActor() {
    let (desk, down) = (Desk(), harness.store())
    let up = harness.store(isolation: desk)
    down.bind(id: "up", to: up, on: \.count) { .set(\.count, to: $0 + 10) }
    #expect(down.count == 0, "the first value waits for its turn")
    let shutdown = harness.start { try await up.shutdown() }
    harness.settle()
    #expect(shutdown.value?.isEmpty == true && up.phase == .inactive)
    #expect(down.count == 10)
    down.deactivate()
  }

  @Test("A shutdown waits for last values only within the time of the cleanup", arguments: [0, 1])
  func lastValuesWithinLimit(milliseconds: Int) async throws {
    let stores = BusyBinding()
    try await stores.up.shutdown(cleanup: .milliseconds(milliseconds))
    #expect(stores.down.count == 0)
    stores.release()
    try await stores.down.wait(for: \.count, toEqual: 2)
  }
}
