import Synchronization

/// The task-local values and the priority that operations inherit from the receiver of their tree.
///
/// A tree shares its values with the effects that it has lifted into other stores. They are released with the last of
/// these trees.
final class InheritedValues: Sendable {
  /// The parked task that holds the values; `nil` while a thread runs it, until that thread has parked the next one.
  private let parked: Mutex<ParkedTask?>

  /// Captures the values of this thread, without calling user code.
  init() { parked = Mutex(ParkedTask()) }

  deinit { parked.withLock { $0.take() }?.discard() }

  /// Runs `body` on this thread with the captured values and priority.
  ///
  /// `body` runs as another task, on no actor as far as Swift knows. So it must only start tasks; it must not commit or
  /// call a mapping.
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
      // Another thread is just creating the next task.
      Thread.yield()
    }
  }
}
