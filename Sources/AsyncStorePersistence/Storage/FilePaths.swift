/// The path of a file, and the paths of the files beside it.
///
/// Names are compared by their bytes, because to file systems two spellings of a character are two names.
struct FilePaths {
  static let previous = ".previous"

  let file: String

  var previous: String { file + Self.previous }
  var owner: String { file + ".owner" }
  /// A name that nobody else has.
  var temporary: String { "\(file).\(Self.digits(.random(in: .min ... .max))).new" }

  var directory: String {
    guard let slash else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  var name: String { slash.map { String(file[file.utf8.index(after: $0)...]) } ?? file }

  /// True if the path is a folder's, whatever is there.
  var isFolder: Bool { ["", ".", ".."].contains(name) }

  private var slash: String.Index? { file.utf8.lastIndex(of: UInt8(ascii: "/")) }

  /// Returns whether a name in the directory belongs to a file that was being written.
  func isTemporary(_ other: String) -> Bool {
    guard other.utf8.starts(with: (name + ".").utf8) else { return false }
    let rest = other.utf8.dropFirst(name.utf8.count + 1)
    return rest.count == 20 && rest.suffix(4).elementsEqual(".new".utf8) && rest.prefix(16).allSatisfy(Self.isDigit)
  }

  /// True if the name is reserved for a file beside another one.
  ///
  /// Letters are compared without case, as in some file systems. To those, a letter has the case of its counterparts,
  /// so that a long s is an s; for this, the upper case comes first.
  var isBesideAnother: Bool {
    let name = Array(name.uppercased().lowercased().utf8)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let (base, suffix) = (name[..<dot], name[(dot + 1)...])
    if suffix.elementsEqual("new".utf8) {
      let digits = base.suffix(17)
      return digits.count == 17 && digits.first == UInt8(ascii: ".") && digits.dropFirst().allSatisfy(Self.isDigit)
    }
    let damaged = "damaged".utf8
    let number = suffix.dropFirst(damaged.count)
    return suffix.elementsEqual("previous".utf8) || suffix.elementsEqual("owner".utf8)
      || suffix.starts(with: damaged) && !number.isEmpty && number.allSatisfy { 0x30...0x39 ~= $0 }
  }

  /// Returns whether a byte is a hexadecimal digit.
  private static func isDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

  private static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
