import Foundation
import Synchronization
import Testing

@testable import AsyncStore

/// In these tests, a mutation that holds a store's lock keeps a barrier from arriving there as long as the test needs.
@Suite("Law 7, where several threads cancel at once")
struct WaveLawTests {
  typealias Effect = JournalStore.Effect

  /// Calls that threads make while a store is held, and the number of them that have returned.
  struct Calls {
    private let held: JournalStore
    private let isHeld = Note(false)
    private let isOver = Note(false)
    private let returned = Shared(Atomic<Int>(0))

    init(holding store: JournalStore) { held = store }

    /// Makes each call on a thread of its own.
    ///
    /// Each call begins when the one before is in progress.
    ///
    /// - Returns: the number of calls that had returned before the store was released.
    func run(_ calls: [@Sendable () -> Void], whenUnderWay: [@Sendable () -> Bool]) async -> Int {
      let (isHeld, isOver, returned, held) = (isHeld, isOver, returned, held)
      let early = Shared(Atomic<Int>(-1))
      await Stress.onThreads(calls.count + 2) { thread in
        switch thread {
        case 0:
          held.receive(
            .set { _ in
              isHeld.value = true
              while !isOver.value { Thread.yield() }
            })
        case 1:
          for isUnderWay in whenUnderWay { while !isUnderWay() { Thread.yield() } }
          // The time is long enough for a call that does not wait.
          let deadline = ContinuousClock.now + .milliseconds(200)
          while ContinuousClock.now < deadline { Thread.yield() }
          early.value.store(returned.value.load(ordering: .acquiring), ordering: .releasing)
          isOver.value = true
        default:
          while !isHeld.value { Thread.yield() }
          for isUnderWay in whenUnderWay.prefix(thread - 2) { while !isUnderWay() { Thread.yield() } }
          calls[thread - 2]()
          returned.value.add(1, ordering: .acquiringAndReleasing)
        }
      }
      return early.value.load(ordering: .acquiring)
    }
  }

  /// Returns an effect that commits a line repeatedly.
  private func endless(_ line: String) -> Effect { .timer(.milliseconds(1), id: line) { _ in .log(line) } }

  @Test("A cancel that finds the store deactivated waits until that has reached the other stores")
  func law07_cancelBesideDeactivation() async {
    let (first, second) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
    first.receive(.lift(endless("lifted"), to: second).id("x"))
    let early = await Calls(holding: second).run(
      [{ first.deactivate() }, { first.receive(.cancel("x")) }], whenUnderWay: [{ first.phase == .inactive }])
    #expect(early == 0)
    let log = second.log
    try? await Task.sleep(for: .milliseconds(20))
    #expect(second.log == log)
  }

  @Test("A cancel waits for the waves that the wave it waits for waits for")
  func law07_chainOfWaves() async {
    let stores = (0..<3).map { _ in JournalStore(state: Journal(), env: ()) }
    let (first, second, third) = (stores[0], stores[1], stores[2])
    first.receive(.lift(.lift(endless("lifted"), to: third).id("inner"), to: second).id("outer"))
    let isSpreading: @Sendable (JournalStore) -> Bool = { store in
      store.runtime.core.withLock { $0.machine.isSpreadingBarrier }
    }
    let isOutsideCancelled = Note(false)
    let early = await Calls(holding: third).run(
      [
        { second.receive(.cancel("inner")) },
        {
          isOutsideCancelled.value = true
          first.receive(.cancel("outer"))
        },
        { first.receive(.cancel("outer")) },
      ],
      whenUnderWay: [
        { isSpreading(second) },
        // The second call finds nothing left to cancel except the effects that the first one is still cancelling.
        { isOutsideCancelled.value && first.inFlight.isEmpty || isSpreading(first) },
      ])
    #expect(early == 0)
    let log = third.log
    try? await Task.sleep(for: .milliseconds(20))
    #expect(third.log == log)
  }

  /// An object by which the first cancellation handler that is called has another thread cancel, too.
  private final class SecondCancel: Sendable {
    let isMade = Atomic<Bool>(false)
    let askedCount = Atomic<Int>(0)
    let askedWhenItReturned = Atomic<Int>(0)

    func handlerCalled(_ cancel: @escaping @Sendable () -> Void) {
      askedCount.add(1, ordering: .acquiringAndReleasing)
      guard !isMade.exchange(true, ordering: .acquiringAndReleasing) else { return }
      let returned = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        cancel()
        self.askedWhenItReturned.store(self.askedCount.load(ordering: .acquiring), ordering: .releasing)
        returned.signal()
      }
      returned.wait()
    }
  }

  @Test(
    "A cancel that finds operations which another thread has yet to ask to end asks them, too",
    arguments: 0..<3, [false, true])
  func law08_cancelBesideCancel(way: Int, isLifted: Bool) async {
    let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
    let (gate, second) = (Gate(), SecondCancel())
    let operation = Effect.task {
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        second.handlerCalled { if way == 2 { store.deactivate() } else { store.receive(.cancel("x")) } }
      }
      return .none
    }
    let operations = Effect.merge(operation, operation, operation)
    let handle = store.receive((isLifted ? .lift(operations, to: other) : operations).id("x"))
    while gate.arrivals < 3 { await Task.yield() }
    if way == 1 { handle.cancel() } else { store.receive(.cancel("x")) }
    #expect(second.askedWhenItReturned.load(ordering: .acquiring) == 3)
    gate.open()
    _ = await handle.outcome
    #expect(store.runtime.unasked.load(ordering: .acquiring) == 0)
    #expect(other.runtime.unasked.load(ordering: .acquiring) == 0)
  }
}
