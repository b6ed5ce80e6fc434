import AsyncStore
import Foundation
import Synchronization

/// Effects that have a long or endless synchronous prefix, and count their steps.
final class LongWork: Sendable {
  /// The limit of the steps, which is more than another thread's call may have to wait for.
  static let limit = 20_000

  private let count = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  /// True if the other thread is about to call.
  let isCalling = Atomic<Bool>(false)
  private let started = DispatchSemaphore(value: 0)
  private let keptHandle = Mutex<EffectHandle?>(nil)

  var handle: EffectHandle? {
    get { keptHandle.withLock { $0 } }
    set { keptHandle.withLock { $0 = newValue } }
  }

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
      while !isCalling.load(ordering: .sequentiallyConsistent) { Thread.yield() }
    }
    // The step takes so long that the other thread calls before all steps are done.
    for _ in 0..<100 { _ = hasEnded.load(ordering: .relaxed) }
    return steps < Self.limit && !hasEnded.load(ordering: .relaxed)
  }
}

/// The kinds of long prefixes.
enum LongPrefixWork: CaseIterable { case list, merge, endlessUpdate, endlessRead }

extension Thread {
  fileprivate static func yield() { sched_yield() }
}
