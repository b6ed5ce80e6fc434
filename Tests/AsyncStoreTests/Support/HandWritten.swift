import Observation
import Synchronization

/// A class written by hand with Observation's registrar.
///
/// It reports a change after the change has been made, and only real changes.
final class HandWritten: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let numbers = Mutex((n: 0, other: 0))

  var n: Int {
    get {
      registrar.access(self, keyPath: \.n)
      return numbers.withLock { $0.n }
    }
    set {
      guard numbers.withLock({ $0.n.exchange(for: newValue) }) != newValue else { return }
      registrar.withMutation(of: self, keyPath: \.n) {}
    }
  }

  var other: Int {
    get {
      registrar.access(self, keyPath: \.other)
      return numbers.withLock { $0.other }
    }
    set {
      guard numbers.withLock({ $0.other.exchange(for: newValue) }) != newValue else { return }
      registrar.withMutation(of: self, keyPath: \.other) {}
    }
  }
}

extension Int {
  /// - Returns: the previous number.
  fileprivate mutating func exchange(for number: Int) -> Int {
    defer { self = number }
    return self
  }
}
