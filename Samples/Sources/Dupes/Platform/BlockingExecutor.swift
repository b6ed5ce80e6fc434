import Dispatch

/// An executor for operations that block their thread.
///
/// Swift has as many threads as the machine has processors. Reads that wait for a disk would occupy them all, and
/// nothing else would run: not the display, not the answer to Ctrl-C. Dispatch makes another thread if one is blocked.
final class BlockingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "dupes.files", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
