/// The error of a patch that does not fit a document.
public struct JSONPatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The index of the first operation that can't be made, from 0.
  public let operation: Int
  private let reason: String

  init(operation: Int, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  /// A sentence that names the operation that can't be made, and the reason.
  public var description: String { "Operation \(operation) of the patch can't be applied: \(reason)" }
}
