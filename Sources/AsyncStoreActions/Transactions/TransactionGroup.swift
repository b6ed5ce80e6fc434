import Synchronization

/// The errors of transactions that were begun together.
final class TransactionGroup: Sendable {
  /// The dependencies of each transaction, by name.
  private let dependencies: [String: [String]]
  /// The errors in the order in which they were thrown.
  private let errors = Mutex<[(name: String, error: any Error)]>([])

  init(_ dependencies: [String: [String]]) { self.dependencies = dependencies }

  /// The first of all errors.
  var firstError: (any Error)? { errors.withLock { $0.first?.error } }

  /// Returns the first error of the transactions that a transaction depends on, directly or indirectly.
  func error(before name: String) -> (any Error)? {
    let errors = errors.withLock { $0 }
    if errors.isEmpty { return nil }
    var before: Set<String> = []
    var pending = dependencies[name] ?? []
    while let next = pending.popLast() {
      if before.insert(next).inserted { pending += dependencies[next] ?? [] }
    }
    return errors.first { before.contains($0.name) }?.error
  }

  func fail(_ name: String, _ error: any Error) { errors.withLock { $0.append((name, error)) } }
}
