/// A key that sorts documents; equal documents have equal keys.
///
/// Its numbers are parsed and its members sorted once, when it is made, and not with every comparison.
enum JSONSortKey {
  case null
  case bool(Bool)
  case integer(Int)
  case number(JSONNumberText)
  case string(JSONString)
  case array([JSONSortKey])
  /// The members as a list in which each key is before its value.
  case object([JSONSortKey])

  init(_ value: JSONValue) {
    self =
      switch value {
      case .null: .null
      case .bool(let bool): .bool(bool)
      case .number(let number): Int(number.description).map(JSONSortKey.integer) ?? .number(number.parts)
      case .string(let string): .string(string)
      case .array(let elements): .array(elements.map(JSONSortKey.init))
      case .object(let members):
        .object(members.sorted { $0.key < $1.key }.flatMap { [.string($0.key), JSONSortKey($0.value)] })
      }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer, .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  private var parts: JSONNumberText? {
    switch self {
    case .integer(let integer): JSONNumber(integer).parts
    case .number(let parts): parts
    default: nil
    }
  }
}

extension JSONSortKey: Comparable {
  static func < (left: JSONSortKey, right: JSONSortKey) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return !left && right
    case (.integer(let left), .integer(let right)): return left < right
    case (.string(let left), .string(let right)): return left < right
    case (.array(let left), .array(let right)), (.object(let left), .object(let right)):
      return left.lexicographicallyPrecedes(right)
    default:
      if let left = left.parts, let right = right.parts { return left < right }
      return left.rank < right.rank
    }
  }

  static func == (left: JSONSortKey, right: JSONSortKey) -> Bool { !(left < right) && !(right < left) }
}

extension Sequence {
  /// The elements in the order of their keys; each key is made once.
  func sorted<Key: Comparable>(by key: (Element) -> Key) -> [Element] {
    map { (key: key($0), element: $0) }.sorted { $0.key < $1.key }.map(\.element)
  }
}
