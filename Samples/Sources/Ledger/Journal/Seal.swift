/// A number that follows from all that a journal holds, so that two journals can be compared without keeping them.
///
/// It is FNV-1a of 64 bits: good against mistakes, none against forgery.
struct Seal: Hashable, Sendable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The seal of nothing.
  static let none = Seal()

  private mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// Adds a number.
  mutating func add(_ number: Int) { add("\(number);".utf8) }

  /// Adds a text; its length tells where it ends.
  mutating func add(_ text: String) {
    add(text.utf8.count)
    add(text.utf8)
  }

  /// Adds a posting.
  mutating func add(_ posting: Posting) {
    add("\(posting.day)")
    add(posting.description)
    add(posting.reference == nil ? 0 : 1)
    add(posting.reference ?? "")
    add(posting.entries.count)
    for entry in posting.entries { add("\(entry)") }
  }
}

extension Seal: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Seal: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = UInt64(try container.decode(String.self), radix: 16) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a seal")
    }
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
