import Foundation
import Synchronization
import Testing

@testable import AsyncStore

/// In these tests, a mutation that holds a store's lock keeps a barrier from arriving there as long as the test needs.
@Suite("Laws 6, 7, 11, 22 and 23, where several threads cancel at once")
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

  @Test("A cancel waits for a wave, and for every wave that this one waits for")
  func law07_chainOfWaves() async {
    let stores = (0..<3).map { _ in JournalStore(state: Journal(), env: ()) }
    let (first, second, third) = (stores[0], stores[1], stores[2])
    first.receive(.lift(.lift(endless("lifted"), to: third).id("inner"), to: second).id("outer"))
    let isSpreading: @Sendable (JournalStore) -> Bool = { store in
      store.runtime.lock { $0.machine.isSpreadingBarrier }
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

  @Test("The end of a time limit waits for a cancel that another thread carries into another store")
  func law15_timeoutBesideCancel() async {
    // A wave that has just arrived is still noted: then the log says nothing, and another try has to.
    for _ in 0..<5 { if await logWhileSpreading() == [] { return } }
    Issue.record("The other store may still commit what the limit has ended.")
  }

  /// Returns what a store has logged by the end of a time limit while a cancel of the same effect is under way.
  private func logWhileSpreading() async -> [String] {
    // In virtual time, because other tests may keep all threads of an alarm busy.
    let harness = Harness()
    let (first, second) = (harness.store(), harness.store())
    first.receive(
      Effect.lift(.sleep(.seconds(60)), to: second).id("x").timeout(.seconds(1), else: .log("else")))
    let isSpreading: @Sendable () -> Bool = { first.runtime.lock { $0.machine.isSpreadingBarrier } }
    let isLimitOver: @Sendable () -> Bool = { first.runtime.lock { $0.machine.deadlines.isEmpty } }
    let seen = Note<[String]>([])
    _ = await Calls(holding: second).run(
      [
        { first.receive(.cancel("x")) },
        {
          harness.advance(by: .seconds(1))
          let log = first.log
          if isSpreading() { seen.value = log }
        },
      ],
      // Else a thread that has to wait for a processor may come too late: then the cancel ends the effect in time.
      whenUnderWay: [isSpreading, isLimitOver])
    #expect(first.log == ["else"])
    return seen.value
  }

  /// An object whose end calls a closure.
  private final class Token: Sendable {
    let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  @Test("A cancel from a mutation that a barrier has set off does not wait for that barrier", arguments: 0..<3)
  func law07_cancelInAMutationOfTheWave(way: Int) async {
    struct Held: Sendable { var token: Token? }
    let (store, other) = (JournalStore(state: Journal(), env: ()), AsyncStore(state: Held(), env: ()))
    store.receive(.sleep(.seconds(60)).finally(.log("cleaned up")).id("aside"))
    let aside = store.receive(.sleep(.seconds(60)))
    let token = Token { [weak store] in
      switch way {
      case 0: store?.receive(.cancel("aside"))
      case 1: aside.cancel()
      default: store?.deactivate()
      }
    }
    // The token's last reference is the state's, which a cleanup in the other store gives up.
    await other.run(.set { [token] in $0.token = token })
    let release = AsyncStore<Held, Void>.Effect.sleep(.seconds(60)).finally(.set { $0.token = nil })
    store.receive(.lift(release, to: other).id("x"))
    _ = consume token
    store.receive(.cancel("x"))
    #expect(other.state.token == nil)
    // What had to stand still for the barrier goes on in a task.
    if way == 0 { #expect(await Stress.eventually { store.log == ["cleaned up"] }) }
  }

  @Test("A mutation that cancels and a barrier that needs its store don't wait for each other")
  func law07_cancelInAMutationBesideTheWave() async {
    for _ in 0..<Stress.count(2_000) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      store.receive(.lift(.sleep(.seconds(60)), to: other).id("x"))
      await Stress.onThreads(2) { thread in
        if thread == 0 {
          store.receive(.cancel("x"))
        } else {
          other.receive(.set { _ in _ = store.receive(.cancel("other")) })
        }
      }
    }
  }

  @Test("Many operations whose cancellation handlers cancel are cancelled without much stack")
  func law23_handlersThatCancel() async {
    let store = JournalStore(state: Journal(), env: ())
    let (gate, handled) = (Gate(), Shared(Atomic<Int>(0)))
    let count = 3_000
    for index in 0..<count {
      store.receive(
        .task {
          await withTaskCancellationHandler {
            await gate.wait()
          } onCancel: {
            handled.value.add(1, ordering: .relaxed)
            store.receive(.cancel("other"))
          }
          return .none
        }.id(index))
    }
    while gate.arrivals < count { await Task.yield() }
    // The thread has a stack of one megabyte.
    await Stress.onThreads(1) { _ in store.receive(.cancelAll()) }
    #expect(handled.value.load(ordering: .relaxed) == count)
    gate.open()
  }

  @Test("A cancel calls no handler of what another thread is cancelling")
  func law11_handlersOfOthers() async {
    let store = JournalStore(state: Journal(), env: ())
    let (gate, isCancelling, goesOn) = (Gate(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let handled = Shared(Atomic<Int>(0))
    for index in 0..<2 {
      store.receive(
        .task {
          await withTaskCancellationHandler {
            await gate.wait()
          } onCancel: {
            guard handled.value.add(1, ordering: .acquiringAndReleasing).newValue == 1 else { return }
            isCancelling.signal()
            goesOn.wait()
          }
          return .none
        }.id(EffectID("x").appending(index)))
    }
    while gate.arrivals < 2 { await Task.yield() }
    await Stress.onThreads(2) { thread in
      guard thread == 1 else { return _ = store.receive(.cancel(prefix: "x")) }
      isCancelling.wait()
      store.receive(.cancel("unrelated"))
      #expect(handled.value.load(ordering: .acquiring) == 1)
      goesOn.signal()
    }
    #expect(handled.value.load(ordering: .acquiring) == 2)
    gate.open()
  }

  @Test("A barrier reaches a store whose mutation waits for it, and only then does its cancel return")
  func law07_mutationThatWaitsForTheWave() async {
    let stores = (0..<3).map { _ in JournalStore(state: Journal(), env: ()) }
    let (store, other, third) = (stores[0], stores[1], stores[2])
    let (isInThird, isInOther, leavesThird) = (Note(false), Note(false), Note(false))
    let (hasReturned, returnedEarly) = (Note(false), Note(true))
    // The barrier comes to the third store first.
    store.receive(.merge(.lift(.sleep(.seconds(60)), to: other), .lift(.sleep(.seconds(60)), to: third)).id("x"))
    await Stress.onThreads(4) { thread in
      switch thread {
      case 0:
        third.receive(
          .set { _ in
            isInThird.value = true
            while !leavesThird.value { Thread.yield() }
          })
      case 1:
        while !isInThird.value { Thread.yield() }
        store.receive(.cancel("x"))
        hasReturned.value = true
      case 2:
        while !store.runtime.lock({ $0.machine.isSpreadingBarrier }) { Thread.yield() }
        other.receive(
          .set { _ in
            isInOther.value = true
            store.receive(.cancel("other"))
            Self.spend(milliseconds: 200)
            returnedEarly.value = hasReturned.value
          })
      default:
        while !isInOther.value { Thread.yield() }
        Self.spend(milliseconds: 50)
        leavesThird.value = true
      }
    }
    #expect(!returnedEarly.value)
    #expect(other.inFlight.isEmpty && third.inFlight.isEmpty)
  }

  @Test(
    "Mutations that drop stores which have lifted into each other's stores end, and so do these effects",
    arguments: 2...3)
  func law07_dropsInMutations(count: Int) async {
    let stores = (0..<count).map { _ in JournalStore(state: Journal(), env: ()) }
    let droppers = (0..<count).map { index in
      let dropped = JournalStore(state: Journal(), env: ())
      for store in stores where store !== stores[index] { dropped.receive(.lift(endless("lifted"), to: store)) }
      return Note<JournalStore?>(dropped)
    }
    let entered = Shared(Atomic<Int>(0))
    await Stress.onThreads(count) { index in
      stores[index].receive(
        .set { _ in
          entered.value.add(1, ordering: .acquiringAndReleasing)
          while entered.value.load(ordering: .acquiring) < count { Thread.yield() }
          droppers[index].value = nil
        })
      // The barrier is one when the call returns.
      entered.value.add(1, ordering: .acquiringAndReleasing)
    }
    #expect(stores.map(\.inFlight.count) == Array(repeating: 0, count: count))
    #expect(stores.flatMap(\.remains) == [])
  }

  @Test("Mutations that cancel effects which were lifted into each other's stores wait for neither locks nor barriers")
  func law07_ringOfMutations() async {
    let count = 3
    let hub = JournalStore(state: Journal(), env: ())
    let stores = (0..<count).map { _ in JournalStore(state: Journal(), env: ()) }
    for (index, store) in stores.enumerated() {
      hub.receive(.merge(.lift(endless("lifted"), to: store), .lift(endless("other"), to: store)).id(index))
    }
    let entered = Shared(Atomic<Int>(0))
    let inFlight = Note<[Int]>([])
    await Stress.onThreads(count) { index in
      stores[index].receive(
        .set { _ in
          entered.value.add(1, ordering: .acquiringAndReleasing)
          while entered.value.load(ordering: .acquiring) < count { Thread.yield() }
          for offset in 1...count { hub.receive(.cancel((index + offset) % count)) }
        })
      inFlight.change { $0 += stores.map(\.inFlight.count) }
    }
    #expect(inFlight.value == Array(repeating: 0, count: count * count))
    #expect((stores + [hub]).flatMap(\.remains) == [])
  }

  @Test("An effect received behind a barrier that its mutation has put off continues after the mutation")
  func law06_behindOwnBarrier() async {
    let (store, other, third) = (
      JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()),
      JournalStore(state: Journal(), env: ())
    )
    store.receive(.lift(endless("lifted"), to: other).id("x"))
    let handle = Note<EffectHandle?>(nil)
    third.receive(
      .set { _ in
        store.receive(.cancel("x"))
        handle.value = store.receive(.concatenate(.cancel("x"), .log("behind")))
      })
    #expect(other.inFlight.isEmpty)
    _ = await handle.value?.outcome
    #expect(store.log == ["behind"])
    #expect(store.remains == [])
  }

  /// Gives a call on another thread the time to do what it must not do.
  private static func spend(milliseconds: Int) {
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < deadline { Thread.yield() }
  }

  private enum Local { @TaskLocal static var value = 0 }

  @Test("An effect received in a mutation that a barrier waits for keeps its task-local values")
  func law22_receivedInAMutationBesideTheWave() async {
    let stores = (0..<3).map { _ in JournalStore(state: Journal(), env: ()) }
    let (store, other, third) = (stores[0], stores[1], stores[2])
    let (isInOther, values, handle) = (Note(false), Note<[Int]>([]), Note<EffectHandle?>(nil))
    store.receive(.lift(.sleep(.seconds(60)), to: other).id("x"))
    let look = Effect.task {
      values.change { $0.append(Local.value) }
      return .none
    }
    let effect = Effect.concatenate(
      .lift(.log("lifted"), to: third), .cancel("nobody"), .log("set"), .lift(look, to: third), look)
    await Stress.onThreads(2) { thread in
      if thread == 0 {
        while !isInOther.value { Thread.yield() }
        _ = store.receive(.cancel("x"))
      } else {
        Local.$value.withValue(7) {
          _ = other.receive(
            .set { _ in
              isInOther.value = true
              while !store.runtime.lock({ $0.machine.isSpreadingBarrier }) { Thread.yield() }
              handle.value = store.receive(effect)
            })
        }
      }
    }
    _ = await handle.value?.outcome
    #expect(values.value == [7, 7])
  }
}
