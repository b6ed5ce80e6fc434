import Dispatch
import Synchronization

@testable import AsyncStore

/// Effects that have a long or endless synchronous prefix, and count their steps.
final class LongWork: Sendable {
  /// The number of steps of the whole effect; an endless one ends after as many, if nothing ends it before.
  static let limit = 20_000
  /// The number of steps that another thread's call may have to wait for: a pass has at most 1,024.
  static let bound = 1_100

  private let count = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let started = DispatchSemaphore(value: 0)
  private let store: SlotStore

  /// - Parameter store: interprets the effect.
  init(in store: SlotStore) { self.store = store }

  var steps: Int { count.load(ordering: .sequentiallyConsistent) }

  func waitForStart() { started.wait() }

  /// Makes endless effects end.
  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }

  func effect(_ work: LongPrefixWork) -> SlotStore.Effect {
    let set = SlotStore.Effect.set { [self] _ in step() }
    switch work {
    case .list: return .concatenate(effects: (0..<Self.limit).map { _ in set })
    case .merge: return .merge(effects: (0..<Self.limit).map { _ in set })
    case .endlessUpdate: return endlessUpdate()
    case .endlessRead: return endlessRead()
    }
  }

  private func endlessUpdate() -> SlotStore.Effect {
    .update { [self] _ in step() ? endlessUpdate() : .none }
  }

  private func endlessRead() -> SlotStore.Effect {
    .read { [self] _ in .concatenate(step() ? endlessRead() : .none, .none) }
  }

  /// - Returns: true if another step follows.
  @discardableResult
  private func step() -> Bool {
    let steps = count.add(1, ordering: .sequentiallyConsistent).newValue
    if steps == 10 {
      started.signal()
      // The step holds the store's lock: the other thread's call gets no further than to wait for it.
      while !store.runtime.hasWaiters { Thread.yield() }
    }
    return steps < Self.limit && !hasEnded.load(ordering: .relaxed)
  }
}

/// The kinds of long prefixes.
enum LongPrefixWork: CaseIterable { case list, merge, endlessUpdate, endlessRead }
