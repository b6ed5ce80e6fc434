#if Services
  import Synchronization

  /// Something that one operation waits for, cancelled or not.
  final class Obstacle: Sendable {
    private let waiter = Mutex<UnsafeContinuation<Void, Never>?>(nil)

    func wait() async { await withUnsafeContinuation { waiter in self.waiter.withLock { $0 = waiter } } }
    func remove() { waiter.withLock { $0.take() }?.resume() }
  }
#endif
