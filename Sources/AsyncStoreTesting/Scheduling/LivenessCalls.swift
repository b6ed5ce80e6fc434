/// The calls of ``Simulation/eventually(within:rounds:_:)`` that have not returned.
///
/// A call evaluates its condition, and then waits here for its next turn.
///
/// | event | what happens |
/// |---|---|
/// | everything runnable had its turn | all waiting calls ask again; see `endTurn` for the exception |
/// | nothing is runnable | the calls that may have missed something ask again, one after the other |
/// | nothing is runnable, and none has missed anything | time passes |
/// | that, and nothing can happen within the time of a call | the call with the earliest end fails |
/// | the task of a call is cancelled | the call ends: at once if it waits, else when its condition returns |
///
/// Conditions change nothing. So if a call evaluates its condition alone and waits again, nothing has happened that
/// other calls miss.
struct LivenessCalls: Sendable {
  typealias Instant = TestClock.Instant

  /// The answer to a waiting call.
  enum Answer {
    /// The call evaluates its condition again.
    case askAgain
    /// Everything had its turn as often as the call allows.
    case outOfRounds
    /// Nothing more can happen within the call's time.
    case outOfTime
    /// The simulation is over, or the call's task is cancelled.
    case ended
  }

  struct Waiter {
    let continuation: UnsafeContinuation<Answer, Never>
    let answer: Answer

    func resume() { continuation.resume(returning: answer) }
  }

  private struct Call {
    let id: UInt64
    let end: Instant
    let rounds: Int
    /// The number of turns at this moment after which the call has evaluated its condition.
    var turns = 0
    /// The amount of work when the call began to evaluate: the work whose effects the condition has seen.
    var seen: Int
    /// The continuation, or `nil` while the call evaluates its condition.
    var continuation: UnsafeContinuation<Answer, Never>?
  }

  /// The calls, in the order in which they began.
  private var calls: [Call] = []
  private var lastID: UInt64 = 0
  private var moment = Instant()
  /// The number of turns at this moment.
  private var turns = 0
  /// The number of jobs left in the turn, or `nil` between two turns.
  private var jobsLeft: Int?
  /// The number of jobs and wakes so far, without the jobs of calls that evaluate alone.
  private var work = 0
  /// The call that evaluates its condition alone.
  private var alone: UInt64?

  var isEmpty: Bool { calls.isEmpty }
  /// The earliest end of the waiting calls.
  var earliestEnd: Instant? { calls.lazy.filter { $0.continuation != nil }.map(\.end).min() }

  // MARK: Calls

  mutating func begin(until end: Instant, rounds: Int) -> UInt64 {
    lastID += 1
    calls.append(Call(id: lastID, end: end, rounds: rounds, seen: work))
    return lastID
  }

  mutating func finish(_ id: UInt64) { calls.removeAll { $0.id == id } }

  /// Records that the condition of a call does not hold, and that the call waits.
  mutating func wait(
    _ id: UInt64, isAnythingRunnable: Bool, _ continuation: UnsafeContinuation<Answer, Never>
  ) {
    guard let index = calls.firstIndex(where: { $0.id == id }) else {
      preconditionFailure("Call \(id) of eventually waits and is unknown.")
    }
    calls[index].continuation = continuation
    guard alone == id else { return }
    alone = nil
    // The condition has made something runnable, so a new turn begins.
    if isAnythingRunnable { calls[index].turns += 1 }
  }

  /// Ends the wait of a call whose task is cancelled; returns `nil` if the call does not wait.
  mutating func cancel(_ id: UInt64) -> Waiter? {
    guard let index = calls.firstIndex(where: { $0.id == id }) else { return nil }
    return answer(index, .ended)
  }

  mutating func removeAll() -> [Waiter] {
    defer { calls = [] }
    return calls.compactMap { call in call.continuation.map { Waiter(continuation: $0, answer: .ended) } }
  }

  // MARK: Turns

  /// Records that a job runs.
  mutating func noteJob() {
    if alone == nil { work += 1 }
    jobsLeft = jobsLeft.map { $0 - 1 }
  }

  /// Records that a sleeper wakes, which may run code without a job.
  mutating func noteWake() { work += 1 }

  /// Records the time; turns are counted from the last moment at which time passed.
  mutating func note(_ now: Instant) {
    guard now != moment else { return }
    moment = now
    work += 1
    turns = 0
    for index in calls.indices { calls[index].turns = 0 }
  }

  /// Ends the turn if each job that was runnable when the turn began has run.
  ///
  /// If all calls evaluated after each turn, conditions that take several jobs would keep each other from seeing that
  /// nothing else can run. So while a condition is still being evaluated, some consecutive turns are silent, more of
  /// them each time; at most every second turn is.
  ///
  /// - Returns: the calls that continue.
  mutating func endTurn(runnable: Int) -> [Waiter] {
    guard earliestEnd != nil else {
      jobsLeft = nil
      return []
    }
    let left = jobsLeft ?? runnable
    jobsLeft = left
    guard left == 0 else { return [] }
    jobsLeft = nil
    turns += 1
    let isAnyAsked = calls.contains { $0.continuation == nil }
    // The second-highest bit: turn 3, turns 6 and 7, turns 12 to 15.
    let isSilent = turns > 1 && turns & 1 << (turns.bitWidth - turns.leadingZeroBitCount - 2) != 0
    if isAnyAsked && isSilent { return [] }
    return calls.indices.compactMap { index in
      guard calls[index].continuation != nil else { return nil }
      guard calls[index].turns < calls[index].rounds else { return answer(index, .outOfRounds) }
      calls[index].turns += 1
      return answer(index, .askAgain)
    }
  }

  /// Returns a call to evaluate alone, because nothing is runnable and that call may have missed something; `nil` if
  /// there is none.
  mutating func nextToAsk() -> Waiter? {
    jobsLeft = nil
    if alone != nil {
      // The call does not wait again: its condition holds, or waits itself.
      alone = nil
      work += 1
    }
    guard let index = calls.firstIndex(where: { $0.continuation != nil && $0.seen < work }) else { return nil }
    alone = calls[index].id
    return answer(index, calls[index].turns > calls[index].rounds ? .outOfRounds : .askAgain)
  }

  /// Returns the waiting call with the earliest end, which fails.
  mutating func failFirst() -> Waiter? {
    let end = earliestEnd
    guard let index = calls.firstIndex(where: { $0.continuation != nil && $0.end == end }) else { return nil }
    alone = calls[index].id
    return answer(index, .outOfTime)
  }

  private mutating func answer(_ index: Int, _ answer: Answer) -> Waiter? {
    defer { calls[index].continuation = nil }
    calls[index].seen = work
    return calls[index].continuation.map { Waiter(continuation: $0, answer: answer) }
  }
}
