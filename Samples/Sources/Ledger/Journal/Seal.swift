/// A number computed from the whole content of a journal, by which two journals can be compared without keeping them.
///
/// It is a 64-bit FNV-1a hash: good against mistakes, none against forgery.
struct Seal: Hashable, Sendable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The length of its description, in characters.
  static let length = 16

  /// The seal of nothing.
  static let none = Seal()

  /// Adds bytes.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// Adds a number.
  mutating func add(_ number: Int) {
    add(String(number).utf8)
    add(";".utf8)
  }

  /// Adds a text; its length tells where it ends.
  mutating func add(_ text: String) {
    add(text.utf8.count)
    add(text.utf8)
  }

  /// Adds a posting.
  mutating func add(_ posting: Posting) {
    add(posting.day.description)
    add(posting.description)
    add(posting.reference == nil ? 0 : 1)
    add(posting.reference ?? "")
    add(posting.entries.count)
    for entry in posting.entries { add(entry) }
    // No text has a length below zero. The first version's postings had no comments.
    guard let comment = posting.comment else { return }
    add(-1)
    add(comment)
  }

  /// Adds an entry as its description, without making one.
  private mutating func add(_ entry: Entry) {
    let (account, amount) = (entry.account.name, entry.amount.description)
    add(account.utf8.count + 1 + amount.utf8.count)
    add(account.utf8)
    add(" ".utf8)
    add(amount.utf8)
  }
}

extension Seal: CustomStringConvertible {
  /// The seal as sixteen hexadecimal digits.
  var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Self.length - digits.count) + digits
  }
}

extension Seal {
  /// Creates the seal of a description, or returns `nil` if that is none.
  init?(_ description: String) {
    guard let value = UInt64(description, radix: 16) else { return nil }
    self.value = value
  }
}

extension Seal: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let seal = Seal(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a seal")
    }
    self = seal
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
