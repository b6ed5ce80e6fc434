import Foundation

extension JSONValue {
  /// The document as text, with keys in the order of their code points, and numbers as they were written.
  ///
  /// - Throws: `EncodingError` if the document is nested deeper than ``maximumDepth``.
  public var data: Data {
    get throws {
      var bytes: [UInt8] = []
      try write(to: &bytes, depth: 0)
      return Data(bytes)
    }
  }

  /// The beginning of the document as text, for error messages.
  ///
  /// A document that contains copies may have more text than there is memory.
  var excerpt: String {
    let limit = 1_000
    var bytes: [UInt8] = []
    guard (try? write(to: &bytes, depth: 0, limit: limit)) != nil else { return Self.tooDeepText }
    let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
    return bytes.count > limit ? text + "…" : text
  }

  /// - Parameter limit: the number of bytes after which no further value is written.
  private func write(to bytes: inout [UInt8], depth: Int, limit: Int = .max) throws {
    if bytes.count > limit { return }
    // An empty list is a level too when it is read back.
    guard !isContainer || depth < Self.maximumDepth && Stack.hasRoom else {
      throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: Self.tooDeep))
    }
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let bool): bytes += (bool ? "true" : "false").utf8
    case .number(let number): bytes += number.description.utf8
    case .string(let string): Self.write(string, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try element.write(to: &bytes, depth: depth + 1, limit: limit)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, (key, member)) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        try member.write(to: &bytes, depth: depth + 1, limit: limit)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: JSONString, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += #"\""#.utf8
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case ..<0x20: bytes += ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let tooDeepText = "a document that is nested too deep"

  static let tooDeep = "it is nested deeper than \(maximumDepth) levels, or than the stack of this thread allows"
}

extension JSONValue: CustomStringConvertible {
  /// The document as text, as in ``data``, or the reason why `data` throws.
  public var description: String {
    (try? data).map { String(decoding: $0, as: UTF8.self) } ?? Self.tooDeepText
  }
}
