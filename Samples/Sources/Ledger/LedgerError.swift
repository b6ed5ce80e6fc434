/// An error that says why something is refused, or can't be done.
struct LedgerError: Error, Equatable {
  /// The kind of the fault.
  struct Code: Hashable {
    let name: String

    /// A text has the wrong form.
    static let malformed = Code(name: "malformed")
    /// The commodity is unknown.
    static let unknownCommodity = Code(name: "unknownCommodity")
    /// An amount is too large.
    static let overflow = Code(name: "overflow")
    /// The entries of a posting don't come to zero.
    static let unbalanced = Code(name: "unbalanced")
    /// A posting with the same reference is in the journal.
    static let duplicate = Code(name: "duplicate")
    /// There is nothing to take back or to make again.
    static let nothingToUndoOrRedo = Code(name: "nothingToUndoOrRedo")
    /// An action was made on another journal than this one.
    static let outdated = Code(name: "outdated")
    /// The requested item is not in the journal.
    static let unknown = Code(name: "unknown")
    /// The results of the log's actions differ from those when they were made.
    static let diverged = Code(name: "diverged")
    /// A file can't be read or written, or is not there.
    static let inaccessible = Code(name: "inaccessible")
    /// The command has been carried out, and the standard output can't be written to say so.
    static let untold = Code(name: "untold")
  }

  /// A place in a file.
  struct Place: Equatable {
    var file: String
    /// The line, from 1.
    var line: Int
    /// The column in characters, from 1.
    var column: Int
  }

  var code: Code
  var reason: String
  var place: Place?

  init(_ code: Code, _ reason: String, at place: Place? = nil) {
    self.code = code
    self.reason = reason
    self.place = place
  }
}

extension LedgerError: CustomStringConvertible {
  /// The place in the form of compilers, then the reason: `bank.csv:4:12: "12,50" is not an amount`.
  var description: String {
    place.map { "\($0.file):\($0.line):\($0.column): \(reason)" } ?? reason
  }
}
