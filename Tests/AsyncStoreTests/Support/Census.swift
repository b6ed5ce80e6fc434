import Synchronization

/// Counts the objects of a test that are alive.
final class Census: Sendable {
  private struct Numbers {
    var alive = 0
    var most = 0
  }

  private let numbers = Mutex(Numbers())

  var alive: Int { numbers.withLock { $0.alive } }
  /// The most that were alive at one time.
  var most: Int { numbers.withLock { $0.most } }

  func canary() -> Canary { Canary(self) }

  final class Canary: Sendable, Equatable {
    private let census: Census

    fileprivate init(_ census: Census) {
      self.census = census
      census.numbers.withLock { numbers in
        numbers.alive += 1
        numbers.most = max(numbers.most, numbers.alive)
      }
    }

    deinit { census.numbers.withLock { $0.alive -= 1 } }

    static func == (left: Canary, right: Canary) -> Bool { left === right }
  }
}
