/// An error in a log of actions, or in the use of one.
public struct ActionLogError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    /// Replaying the actions led to a different state than when they were recorded.
    public static let diverged = Code(description: "diverged")
    /// A line of an imported log can't be read.
    public static let malformed = Code(description: "malformed")
    /// The log does not have that index.
    public static let outOfRange = Code(description: "outOfRange")
  }

  /// The kind of the error.
  public let code: Code
  /// A sentence that says what is wrong, where, and what to do about it.
  public let description: String
  /// The line of an imported log, from 1; `nil` if the error is not about a line.
  public let line: Int?

  init(_ code: Code, _ description: String, line: Int? = nil) {
    self.code = code
    self.description = description
    self.line = line
  }
}
