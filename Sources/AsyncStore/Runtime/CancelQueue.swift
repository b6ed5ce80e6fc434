/// The runs that a thread is asking to end.
///
/// Asking an operation to end runs its cancellation handlers, which may cancel something too. Up to 32 such nested
/// cancels return when everything cancelled earlier on this thread has been asked: each finishes the work of the outer
/// call. A deeper cancel asks only the operations that it has cancelled itself, and leaves the others to the outer
/// calls, because all of these are on the stack together.
final class CancelQueue {
  private static let current = ThreadVariable<CancelQueue>()
  private static let greatestDepth = 32

  private var runs = Queue<Run>()
  private var depth = 0

  static func askToEnd(_ runs: ContiguousArray<Run>) {
    if let queue = current.value { return queue.askToEnd(runs) }
    // A single run needs no queue: nothing can come in between.
    if runs.count < 2 { return runs.first?.askToEnd() ?? () }
    let queue = CancelQueue()
    current.value = queue
    defer { current.value = nil }
    queue.askToEnd(runs)
  }

  private func askToEnd(_ runs: ContiguousArray<Run>) {
    guard depth < Self.greatestDepth else { return runs.forEach { $0.askToEnd() } }
    depth += 1
    defer { depth -= 1 }
    for run in runs { self.runs.append(run) }
    while let run = self.runs.popFirst() { run.askToEnd() }
  }
}
