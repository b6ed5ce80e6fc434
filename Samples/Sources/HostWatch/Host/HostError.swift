/// The error of a reading of the machine that could not be taken.
struct HostError: Error, Equatable {
  /// The kind of the fault.
  struct Code: Hashable {
    let name: String

    /// The operating system refused to answer.
    static let unreadable = Code(name: "unreadable")
    /// The operating system gave an unexpected answer.
    static let malformed = Code(name: "malformed")
  }

  var code: Code
  /// The file or the system call that was asked.
  var source: String
  /// The line within the file, counted from 1.
  var line: Int?
  var reason: String
}

extension HostError: CustomStringConvertible {
  /// The place in the form of compilers, then the reason: `/proc/stat:2: field 3 is "x", not a count`.
  var description: String {
    line.map { "\(source):\($0): \(reason)" } ?? "\(source): \(reason)"
  }
}
