import CAsyncStore

/// Calls of user code that a thread makes one after the other instead of nested.
package enum CallQueue {
  private final class Calls {
    var waiting = Queue<() -> Void>()
  }

  /// Calls `body` now or, inside another such call on this thread, once that call has returned.
  ///
  /// A chain of such calls, each of which leads to the next, takes no stack.
  package static func call(_ body: @escaping () -> Void) {
    let thread = Thread.record
    if let known = thread.pointee.calls {
      Unmanaged<Calls>.fromOpaque(known).takeUnretainedValue().waiting.append(body)
      return
    }
    let calls = Calls()
    thread.pointee.calls = Unmanaged.passUnretained(calls).toOpaque()
    body()
    while let next = calls.waiting.popFirst() { next() }
    thread.pointee.calls = nil
    withExtendedLifetime(calls) {}
  }
}
