import AsyncStorePersistence
import Foundation
import Synchronization

/// Calls `body` on a thread of its own.
///
/// - Parameters:
///   - size: the size of the thread's stack, in bytes.
///   - isUsedUp: true if `body` finds nothing but the room that a document's last level may take.
func onThread<Value: Sendable>(
  stack size: Int, isUsedUp: Bool = false, _ body: @escaping @Sendable () -> Value
) -> Value {
  let value = Mutex<Value?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    let result = isUsedUp ? deepInStack(body) : body()
    value.withLock { $0 = result }
    isDone.signal()
  }
  thread.stackSize = size
  thread.start()
  isDone.wait()
  guard let value = value.withLock({ $0 }) else { preconditionFailure("the thread has set no value") }
  return value
}

@inline(never)
private func deepInStack<Value>(_ body: () -> Value) -> Value {
  // The memory keeps the call from being turned into a loop.
  withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { _ in
    Stack.remaining > Stack.reserve ? deepInStack(body) : body()
  }
}

/// Returns the code of the error that `body` throws, or `nil` if it throws none.
func code(of body: () throws -> Void) -> PersistenceError.Code? {
  do {
    try body()
    return nil
  } catch {
    guard let error = error as? PersistenceError else { preconditionFailure("not the module's error: \(error)") }
    return error.code
  }
}
