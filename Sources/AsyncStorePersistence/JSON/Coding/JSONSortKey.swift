/// A key for sorting documents; equal documents have equal keys.
///
/// The key parses its numbers and sorts its members once, when it is created, and not in every comparison.
enum JSONSortKey {
  case null
  case bool(Bool)
  case integer(Int)
  case number(JSONNumberText)
  case string(JSONString)
  case array([JSONSortKey])
  /// The members as a list in which each key precedes its value.
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
  static func < (left: JSONSortKey, right: JSONSortKey) -> Bool { left.compared(to: right) < 0 }
  static func == (left: JSONSortKey, right: JSONSortKey) -> Bool { left.compared(to: right) == 0 }

  /// Returns a negative number if this key comes first, a positive number if the other does, and 0 if they are equal.
  ///
  /// Each element is compared once. With `<` alone, equal elements would be compared twice at each level.
  private func compared(to other: JSONSortKey) -> Int {
    switch (self, other) {
    case (.bool(let left), .bool(let right)): return Self.compare(left ? 1 : 0, right ? 1 : 0)
    case (.integer(let left), .integer(let right)): return Self.compare(left, right)
    case (.string(let left), .string(let right)): return Self.compare(left, right)
    case (.array(let left), .array(let right)), (.object(let left), .object(let right)):
      for (left, right) in zip(left, right) {
        let order = left.compared(to: right)
        if order != 0 { return order }
      }
      return Self.compare(left.count, right.count)
    default:
      if let left = parts, let right = other.parts { return Self.compare(left, right) }
      return Self.compare(rank, other.rank)
    }
  }

  private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : right < left ? 1 : 0
  }
}

extension Sequence {
  /// The elements in the order of their keys; each key is created once.
  func sorted<Key: Comparable>(by key: (Element) -> Key) -> [Element] {
    map { (key: key($0), element: $0) }.sorted { $0.key < $1.key }.map(\.element)
  }
}
