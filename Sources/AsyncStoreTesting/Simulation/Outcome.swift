import Synchronization

/// A value that one closure leaves for another.
final class Outcome<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)

  var value: Value? { content.withLock { $0 } }

  func set(_ value: Value) { content.withLock { $0 = value } }
}
