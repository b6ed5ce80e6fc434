/// One line of a file below `/proc`, split at its spaces, with its place for errors.
struct ProcLine {
  let file: String
  /// The number of the line, from 1.
  let number: Int
  let text: Substring
  let fields: [Substring]

  /// Returns the lines of a file that are not blank.
  static func lines(of text: String, in file: String) -> [ProcLine] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      let fields = line.split { $0 == " " || $0 == "\t" }
      return fields.isEmpty ? nil : ProcLine(file: file, number: index + 1, text: line, fields: fields)
    }
  }

  /// Returns the field at an index from 0.
  func field(_ index: Int) throws -> Substring {
    guard fields.indices.contains(index) else {
      throw malformed("there are \(fields.count) fields, and field \(index + 1) is missing")
    }
    return fields[index]
  }

  /// Returns the field as a count of units of `size`.
  func count(_ index: Int, ofSize size: UInt64 = 1) throws -> UInt64 {
    let field = try field(index)
    guard let count = UInt64(field) else {
      throw malformed("field \(index + 1) is \"\(field)\", not a count")
    }
    let (product, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow else { throw malformed("field \(index + 1) is \(count), too large") }
    return product
  }

  /// Returns the field as a number that is neither negative nor infinite.
  func number(_ index: Int) throws -> Double {
    let field = try field(index)
    guard let number = Double(field), number.isFinite, number >= 0 else {
      throw malformed("field \(index + 1) is \"\(field)\", not a number")
    }
    return number
  }

  func malformed(_ reason: String) -> HostError {
    HostError(code: .malformed, source: file, line: number, reason: reason)
  }
}
