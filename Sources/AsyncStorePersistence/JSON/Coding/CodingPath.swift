/// The path of a value that is being encoded or decoded, as a list that its parts share.
final class CodingPath: Sendable {
  private let parent: CodingPath?
  /// The last key, or `nil` for a level that has none.
  private let key: Key?
  let depth: Int

  /// - Parameter key: the key of the value, or `nil` for a value that is encoded as the whole of another one. Such a
  ///   value counts as a level, because this may go on forever, but is not part of the path.
  /// - Throws: `EncodingError` if the path is deeper than `JSONValue.maximumDepth`, or than the stack allows.
  init(_ parent: CodingPath?, _ key: (any CodingKey)?) throws {
    self.parent = parent
    self.key = key.map(Key.init)
    depth = (parent?.depth ?? 0) + 1
    if depth > JSONValue.maximumDepth || !Stack.hasRoom { throw Self.tooDeep }
  }

  static var tooDeep: EncodingError {
    .invalidValue(JSONValue.maximumDepth, .init(codingPath: [], debugDescription: JSONValue.tooDeep))
  }

  static func keys(_ path: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = path
    while let part = path {
      if let key = part.key { keys.append(key) }
      path = part.parent
    }
    return keys.reversed()
  }

  /// A key of any kind.
  struct Key: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: any CodingKey) {
      stringValue = key.stringValue
      intValue = key.intValue
    }
    init(index: Int) {
      stringValue = "Index \(index)"
      intValue = index
    }
    init(stringValue: String) {
      self.stringValue = stringValue
      intValue = nil
    }
    init(intValue: Int) {
      stringValue = String(intValue)
      self.intValue = intValue
    }
    static let `super` = Key(stringValue: "super")
  }
}

/// A collection whose equal values may have their elements in different orders.
protocol UnorderedCollection {
  /// The number of elements in the encoded list for one element of the collection.
  static var stride: Int { get }
}

extension Set: UnorderedCollection { static var stride: Int { 1 } }
/// A dictionary is encoded as a list of alternating keys and values unless its keys are strings or numbers, which would
/// give an object.
extension Dictionary: UnorderedCollection { static var stride: Int { 2 } }
