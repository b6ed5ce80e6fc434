import Synchronization

/// A clock whose sleepers are woken by hand, and not by their cancellation.
final class HandClock: Clock, Sendable {
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
