import CAsyncStore

/// The answer of an error handler or a retry's condition, to be reported to the machine.
///
/// The machine may ask the next question at once, for example when an error leaves one retry after another.
struct Answer: Sendable {
  /// The maximum number of nested answers on one thread's stack.
  private static var greatestDepth: UInt { 32 }

  let runtime: Runtime
  /// The tree whose task-local values are bound on this thread.
  private let context: TreeContext?
  private let deadline: Moment?
  private let event: @Sendable (inout Core) -> Void

  /// - Parameter deadline: the deadline that the question follows from, if there is one.
  init(
    to runtime: Runtime, in context: TreeContext?, at deadline: Moment?,
    _ event: @escaping @Sendable (inout Core) -> Void
  ) {
    self.runtime = runtime
    self.context = context
    self.deadline = deadline
    self.event = event
  }

  /// Reports the answer and carries out its consequences at once.
  ///
  /// - Returns: false if this thread is already reporting 32 answers; then nothing was reported.
  func reportOnStack() -> Bool {
    let thread = Thread.record
    guard thread.pointee.answerDepth < Self.greatestDepth else { return false }
    thread.pointee.answerDepth += 1
    report(mayCommit: runtime.takeTurnsIfHere(), in: nil)
    thread.pointee.answerDepth -= 1
    return true
  }

  /// Reports the answer as part of a round, or by itself.
  func report(mayCommit: Bool, in round: Round?) {
    runtime.perform(in: context, mayCommit: mayCommit, round: round, handover: .passes) { core in
      if let deadline { core.pass.setTime(to: deadline) }
      event(&core)
    }
  }
}
