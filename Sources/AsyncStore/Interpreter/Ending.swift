/// The outcome of a tree or a fiber.
enum Ending<Failure> {
  case finished
  /// Finished with this error: the first of possibly several that no recovery handled.
  case failed(Failure)
  case cancelled
  /// The effect never began, because its identifier's policy dropped it.
  case dropped
}

extension Ending: Equatable where Failure: Equatable {}
extension Ending: Sendable where Failure: Sendable {}
