import CAsyncStore

/// The result of an error handler or of a retry's condition, to be reported to the machine.
///
/// The machine may ask the next question at once, as when an error leaves one retry after the other.
struct Answer: Sendable {
  /// The greatest number of answers inside of each other on one thread's stack.
  private static var greatestDepth: UInt { 32 }

  let runtime: Runtime
  /// The tree whose task-local values are bound on this thread.
  private let context: TreeContext?
  private let deadline: Moment?
  private let event: @Sendable (inout Core) -> Void

  /// - Parameter deadline: the deadline that the question follows from, if any.
  init(
    to runtime: Runtime, in context: TreeContext?, at deadline: Moment?,
    _ event: @escaping @Sendable (inout Core) -> Void
  ) {
    self.runtime = runtime
    self.context = context
    self.deadline = deadline
    self.event = event
  }

  /// Reports the answer at once, with all that follows.
  ///
  /// - Returns: false if 32 answers are being reported on this thread already; then nothing was reported.
  func reportOnStack() -> Bool {
    let thread = Thread.record
    guard thread.pointee.answerDepth < Self.greatestDepth else { return false }
    thread.pointee.answerDepth += 1
    report(mayCommit: runtime.takeTurnsIfHere(), in: nil)
    thread.pointee.answerDepth -= 1
    return true
  }

  /// Reports the answer as part of a round, or on its own.
  func report(mayCommit: Bool, in round: Round?) {
    runtime.perform(in: context, mayCommit: mayCommit, round: round, handover: .passes) { core in
      if let deadline { core.pass.setTime(to: deadline) }
      event(&core)
    }
  }
}
