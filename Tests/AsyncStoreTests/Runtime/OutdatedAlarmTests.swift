import Dispatch
import Synchronization
import Testing

@testable import AsyncStore

/// An alarm that was replaced may still ring, because its task was about to wake when it was cancelled.
@Suite("An alarm that is outdated")
struct OutdatedAlarmTests {
  @Test("law 13: does nothing when it is not the current one, also while that one is at its work")
  func law13_outdatedAlarmRings() async {
    let (clock, executor) = (HandClock(), HandExecutor())
    let store = JournalStore(state: Journal(), env: (), clock: clock, executor: executor)
    let (mapping, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    store.receive(.concatenate(.sleep(.seconds(10)), .log("sleep until 10")))
    executor.run()
    store.receive(
      .timer(.seconds(7), id: "timer") { _ in
        mapping.signal()
        mayGoOn.wait()
        return .log("tick at 7")
      })
    executor.run()
    #expect(clock.deadlines == [.seconds(7), .seconds(10)])

    clock.pass(to: .seconds(10))
    clock.wake(.seconds(7))
    let current = Thread.begin { executor.run() }
    mapping.wait()
    clock.wake(.seconds(10))
    executor.run()
    #expect(store.log == [], "the tick comes first, however long it takes to be mapped")
    mayGoOn.signal()
    await current.value
    #expect(store.log == ["tick at 7", "sleep until 10"])
    #expect(clock.deadlines == [.seconds(14)], "one alarm only goes on")
    store.deactivate()
    clock.wake(.seconds(14))
    executor.run()
    #expect(clock.deadlines == [])
  }
}

/// A clock whose sleepers are woken by hand, and not by their cancellation.
private final class HandClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Swift.Duration
    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Swift.Duration.zero
    var sleepers: [(deadline: Swift.Duration, continuation: UnsafeContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  let minimumResolution = Swift.Duration.nanoseconds(1)

  var now: Instant { state.withLock { Instant(offset: $0.now) } }
  var deadlines: [Swift.Duration] { state.withLock { $0.sleepers.map(\.deadline).sorted() } }

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    await withUnsafeContinuation { continuation in
      state.withLock { $0.sleepers.append((deadline.offset, continuation)) }
    }
  }

  func pass(to moment: Swift.Duration) { state.withLock { $0.now = moment } }

  func wake(_ deadline: Swift.Duration) {
    let sleeper = state.withLock { state in
      state.sleepers.firstIndex { $0.deadline == deadline }.map { state.sleepers.remove(at: $0) }
    }
    sleeper?.continuation.resume()
  }
}

/// A thread of its own, to be waited for.
private enum Thread {
  static func begin(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task { await Stress.onThreads(1) { _ in body() } }
  }
}
