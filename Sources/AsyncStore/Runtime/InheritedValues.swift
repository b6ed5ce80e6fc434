import Synchronization

/// The task-local values and the priority that operations inherit from the receiver of their tree.
///
/// A tree shares them with the effects that it has lifted into other stores. They are released with the last of these
/// trees.
final class InheritedValues: Sendable {
  /// A task that holds the values; `nil` while a thread uses it up, and makes the next one first.
  private let parked: Mutex<ParkedTask?>

  /// Keeps the values of this thread, without calling user code.
  init() { parked = Mutex(ParkedTask()) }

  deinit { parked.withLock { $0.take() }?.discard() }

  /// Runs `body` on this thread with the values and the priority.
  ///
  /// It runs as another task, which is on no actor as far as Swift knows: so it starts tasks, and commits nothing and
  /// calls no mapping.
  func inherit(_ body: @escaping @Sendable () -> Void) {
    takeParked().run {
      // Before `body`, which may take long or inherit again.
      let next = ParkedTask()
      self.parked.withLock { $0 = next }
      body()
    }
  }

  private func takeParked() -> ParkedTask {
    while true {
      if let parked = parked.withLock({ $0.take() }) { return parked }
      // Another thread makes the next one just now.
      Thread.yield()
    }
  }
}
