import SwiftCSV

/// The fields of a CSV file, each with its place.
struct CSVTable {
  struct Field {
    let text: String
    let place: LedgerError.Place
  }

  /// The first record: the names of the columns.
  let header: [Field]
  /// The others, without empty lines; each has as many fields as the header.
  let rows: [[Field]]

  /// Reads a CSV file.
  ///
  /// - Parameter file: what it is called in errors.
  init(_ data: some Collection<UInt8>, file: String) throws(LedgerError) {
    let records = try Self.records(Self.text(data, file), file).filter { $0.count > 1 || $0.first?.text != "" }
    guard let header = records.first else {
      throw LedgerError(.malformed, "It is empty.", at: LedgerError.Place(file: file, line: 1, column: 1))
    }
    for record in records where record.count != header.count {
      throw LedgerError(
        .malformed, "There are \(record.count) fields, and the header has \(header.count).",
        at: record[min(header.count, record.count - 1)].place)
    }
    self.header = header
    rows = Array(records.dropFirst())
  }

  /// The fields, and where they are.
  private static func records(_ text: String, _ file: String) throws(LedgerError) -> [[Field]] {
    let layout = try CSVLayout(text, file: file).records
    var records: [[String]] = []
    do {
      // The rows that the library keeps are filled up to one length; those that it enumerates are as they are.
      try EnumeratedCSV(string: text, delimiter: .comma, loadColumns: false, rowLimit: 0)
        .enumerateAsArray(rowLimit: nil) { records.append($0) }
    } catch {
      throw LedgerError(.malformed, "\(file) is not CSV: \(error)")
    }
    guard layout.map(\.count) == records.map(\.count) else {
      throw LedgerError(.malformed, "\(file) can be read as CSV in more than one way.")
    }
    return zip(records, layout).map { record, places in zip(record, places).map(Field.init) }
  }

  private static func text(_ data: some Collection<UInt8>, _ file: String) throws(LedgerError) -> String {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = data.starts(with: byteOrderMark) ? data.dropFirst(3) : data[...]
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let repaired = String(decoding: bytes, as: UTF8.self)
      var good = zip(bytes, repaired.utf8).prefix { $0 == $1 }.map(\.0)
      // The first bytes of a character that is cut off may be those of its replacement.
      while String(validating: good, as: UTF8.self) == nil { good.removeLast() }
      let lines = String(decoding: good, as: UTF8.self).split(
        omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      throw LedgerError(
        .malformed, "This is not UTF-8.",
        at: LedgerError.Place(file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1))
    }
    return text.last?.isNewline == false ? text + "\n" : text
  }
}
