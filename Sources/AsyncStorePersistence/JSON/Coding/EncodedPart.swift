/// A part of a document that is being encoded.
final class EncodedPart {
  enum Content {
    case nothing
    case value(JSONValue)
    case array([Element])
    case object([JSONString: Element])

    /// The content of a container that continues with a value.
    init(_ value: JSONValue) {
      self =
        switch value {
        case .array(let elements): .array(elements.map { .value($0) })
        case .object(let members): .object(members.mapValues { .value($0) })
        default: .value(value)
        }
    }
  }
  enum Element {
    case value(JSONValue)
    /// A container that may still grow.
    case part(EncodedPart)

    var value: JSONValue {
      switch self {
      case .value(let value): value
      case .part(let part): part.value
      }
    }
  }

  var content = Content.nothing
  private let document: EncodedDocument

  init(of document: EncodedDocument = EncodedDocument()) { self.document = document }

  /// True if a container was nested too deep, and so was left out of the document.
  var isTooDeep: Bool {
    for (part, path) in document.encoders { if case .nothing = part.content { part.becomeContainer(at: path) } }
    return document.isTooDeep
  }

  /// Returns an encoder into this part; if it encodes nothing, the part is an empty object.
  func encoder(at path: CodingPath?) -> JSONValueEncoder {
    document.encoders.append((self, path))
    return JSONValueEncoder(self, path)
  }

  /// Records that the part is a list or an object, which is a level even if it stays empty.
  func becomeContainer(at path: CodingPath?) {
    guard let path, path.depth >= JSONValue.maximumDepth else { return }
    // Levels without a key are not levels of the document.
    if CodingPath.keys(path).count >= JSONValue.maximumDepth { document.isTooDeep = true }
  }

  /// Continues with a single value that was encoded earlier, as `JSONEncoder` does: a list or an object may grow.
  func becomeGrowing() { if case .value(let value) = content { content = Content(value) } }

  /// Returns a container within this part, and its path.
  ///
  /// - Parameter add: adds the container; not called if it is nested too deep.
  func nested(_ path: CodingPath?, _ key: any CodingKey, _ add: (EncodedPart) -> Void) -> (EncodedPart, CodingPath?) {
    let part = EncodedPart(of: document)
    guard let inner = try? CodingPath(path, key) else {
      document.isTooDeep = true
      return (part, path)
    }
    add(part)
    return (part, inner)
  }

  var value: JSONValue {
    switch content {
    // As in `JSONEncoder`, for a nested container that nothing was encoded into.
    case .nothing: .object([:])
    case .value(let value): value
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .object(members.mapValues(\.value))
    }
  }
}

/// The state that the parts of a document share while it is encoded.
final class EncodedDocument {
  // Containers are created by functions that don't throw; the error comes at the end.
  var isTooDeep = false
  /// The parts that encoders of their own write into.
  var encoders: [(part: EncodedPart, path: CodingPath?)] = []
}
