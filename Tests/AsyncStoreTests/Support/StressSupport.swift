import AsyncStore
import Foundation
import Synchronization
import Testing

/// The suites on real threads.
///
/// The tests run one at a time. Running all at once would measure the machine's scheduler more than the store.
@Suite("Under load", .serialized, .repeated)
enum StressTests {}

/// Repeats each test for `ASYNCSTORE_STRESS_SECONDS`; by default each runs once.
struct Repetition: SuiteTrait, TestTrait, TestScoping {
  private static let time = Duration.seconds(
    ProcessInfo.processInfo.environment["ASYNCSTORE_STRESS_SECONDS"].flatMap(Int.init) ?? 0)

  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let deadline = ContinuousClock.now + Self.time
    repeat { try await function() } while ContinuousClock.now < deadline
  }
}

extension Trait where Self == Repetition {
  static var repeated: Self { Self() }
}

/// The amount of work of the stress tests.
///
/// `ASYNCSTORE_STRESS` scales their counts: by default 1, and 0.2 in a debug build.
enum Stress {
  static let factor =
    ProcessInfo.processInfo.environment["ASYNCSTORE_STRESS"].flatMap(Double.init) ?? (TestSize.isOptimized ? 1 : 0.2)

  static func count(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }

  /// Runs `body` on that many threads of their own, and returns when all of them have ended.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let running = Shared(Atomic<Int>(count))
      for index in 0..<count {
        let thread = Thread {
          body(index)
          if running.value.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
        }
        thread.stackSize = 1 << 20
        thread.start()
      }
    }
  }

  /// Polls for a condition that nothing can signal: a thread that releases its last reference, a task that was handed
  /// on.
  static func eventually(within seconds: Double = 60, _ condition: @Sendable () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
      if ContinuousClock.now > deadline { return false }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  /// Spins for about as long as an operation takes to start.
  static func spin(_ generator: inout SplitMix64, upTo limit: UInt64 = 2_000) {
    // The loop uses an atomic because the optimizer would otherwise remove it.
    let rounds = Atomic(generator.next() % limit)
    while rounds.load(ordering: .relaxed) > 0 { rounds.subtract(1, ordering: .relaxed) }
  }
}

/// An atomic that several closures share.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

/// A number that several threads change.
final class Tally: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .sequentiallyConsistent) }
  func add(_ amount: Int = 1) { number.add(amount, ordering: .sequentiallyConsistent) }
}

/// Counts the living canaries.
final class Population: Sendable {
  let living = Tally()
  func canary() -> Canary { Canary(self) }
  /// Waits until the last canary is gone.
  func isExtinct() async -> Bool { await Stress.eventually { self.living.value == 0 } }
}

/// A canary for a state, an environment or a closure.
///
/// It shows whether that is ever released.
final class Canary: Sendable {
  private let population: Population
  init(_ population: Population) {
    self.population = population
    population.living.add(1)
  }
  deinit { population.living.add(-1) }
}

extension EffectHandle {
  /// Blocks a thread of the test's own until the effect has settled.
  func wait() -> EffectOutcome {
    let settled = DispatchSemaphore(value: 0)
    let result = Shared(Mutex<EffectOutcome?>(nil))
    Task.detached { [self] in
      let outcome = await self.outcome
      result.value.withLock { $0 = outcome }
      settled.signal()
    }
    settled.wait()
    guard let outcome = result.value.withLock({ $0 }) else { preconditionFailure("settled without an outcome") }
    return outcome
  }
}

/// The slots in which the threads of a test count.
struct Slots: Sendable, Equatable {
  var counts: [Int]
  var total = 0
  var violations = 0
  var current = 0
  var canary: Canary?

  init(_ count: Int = 1, _ canary: Canary? = nil) {
    counts = Array(repeating: 0, count: count)
    self.canary = canary
  }

  mutating func count(_ slot: Int) {
    counts[slot] += 1
    total += 1
  }

  static func == (left: Slots, right: Slots) -> Bool {
    left.counts == right.counts && left.total == right.total && left.violations == right.violations
      && left.current == right.current
  }
}

typealias SlotStore = AsyncStore<Slots, Canary?>
