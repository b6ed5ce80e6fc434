/// The error of a patch that does not fit a document.
public struct JSONPatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The index of the first operation that can't be applied, from 0.
  public let operationIndex: Int
  private let reason: String

  init(operationIndex: Int, reason: String) {
    self.operationIndex = operationIndex
    self.reason = reason
  }

  /// A sentence that names the operation that can't be applied, and the reason.
  public var description: String { "Operation \(operationIndex) of the patch can't be applied: \(reason)" }
}
