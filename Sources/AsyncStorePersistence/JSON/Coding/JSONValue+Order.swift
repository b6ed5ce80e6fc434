extension JSONValue {
  /// Returns whether the document comes first in an order of all documents, in which equal ones have the same place.
  func precedes(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.number(let left), .number(let right)): left < right
    case (.string(let left), .string(let right)): left < right
    case (.array(let left), .array(let right)): left.lexicographicallyPrecedes(right) { $0.precedes($1) }
    case (.object(let left), .object(let right)): Self.list(left).precedes(Self.list(right))
    default: rank < other.rank
    }
  }

  private static func list(_ members: [JSONString: JSONValue]) -> JSONValue {
    .array(members.sorted { $0.key < $1.key }.flatMap { [.string($0.key), $0.value] })
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }
}

extension JSONValue? {
  func precedes(_ other: JSONValue?) -> Bool {
    guard let self, let other else { return self == nil && other != nil }
    return self.precedes(other)
  }
}
