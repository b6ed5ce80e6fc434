/// A place in a JSON document, as in RFC 6901: `/nested/label`, `/array/0`.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// The keys and indices on the path; empty for the whole document.
  public let tokens: [JSONString]

  /// Creates a pointer from its tokens, by default to the whole document.
  ///
  /// - Parameter tokens: unescaped keys and indices.
  public init(_ tokens: [JSONString] = []) { self.tokens = tokens }

  /// Reads a pointer, or returns `nil` if the text is not one.
  ///
  /// - Parameter text: empty, or each token after a `/`. In a token, `~1` is a `/` and `~0` is a `~`; no other `~` is
  ///   allowed.
  public init?(_ text: String) {
    if text.isEmpty {
      tokens = []
      return
    }
    // By scalars, because a combining mark would form one character with the `/` or the `~` before it.
    let scalars = text.unicodeScalars
    guard scalars.first == "/" else { return nil }
    var tokens: [JSONString] = []
    for part in scalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      var token = String.UnicodeScalarView()
      var rest = part
      while let scalar = rest.popFirst() {
        guard scalar == "~" else {
          token.append(scalar)
          continue
        }
        switch rest.popFirst() {
        case "0": token.append("~")
        case "1": token.append("/")
        default: return nil
        }
      }
      tokens.append(JSONString(String(token)))
    }
    self.tokens = tokens
  }

  /// The pointer as text; empty for the whole document.
  public var description: String { tokens.map { "/" + Self.escaped($0) }.joined() }

  /// The pointer as text without the first `/`.
  var flat: String { tokens.map(Self.escaped).joined(separator: "/") }

  func appending(_ token: JSONString) -> JSONPointer { JSONPointer(tokens + [token]) }

  /// Returns whether this place is the other one or is inside it.
  func isWithin(_ other: JSONPointer) -> Bool { tokens.starts(with: other.tokens) }

  private static func escaped(_ token: JSONString) -> String {
    var text = String.UnicodeScalarView()
    for scalar in token.text.unicodeScalars {
      switch scalar {
      case "~": text.append(contentsOf: "~0".unicodeScalars)
      case "/": text.append(contentsOf: "~1".unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}

extension JSONPointer: Codable {
  /// Decodes a pointer from its text.
  ///
  /// - Throws: `DecodingError` if the value is not a text, or the text is not a pointer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let pointer = JSONPointer(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no JSON pointer")
    }
    self = pointer
  }

  /// Encodes the pointer as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
