extension JSONValue {
  /// The depth of the nested lists and objects, including this one; 0 for a leaf.
  ///
  /// - Complexity: linear in the memory of the document: a part that appears in several places is counted once.
  var nesting: Int {
    guard let identity else { return 0 }
    // Without recursion, because the document may be nested deeper than the stack allows.
    var counted: [UInt: Int] = [:]
    var open = [OpenContainer(identity: identity, rest: containers)]
    while true {
      let last = open.count - 1
      guard let inner = open[last].rest.popLast(), let identity = inner.identity else {
        let levels = open[last].levels + 1
        counted[open.removeLast().identity] = levels
        guard let outer = open.indices.last else { return levels }
        open[outer].levels = max(open[outer].levels, levels)
        continue
      }
      if let levels = counted[identity] {
        open[last].levels = max(open[last].levels, levels)
      } else {
        open.append(OpenContainer(identity: identity, rest: inner.containers))
      }
    }
  }

  private struct OpenContainer {
    let identity: UInt
    /// The lists and objects in the container that have not been counted yet.
    var rest: [JSONValue]
    /// The nesting of the lists and objects that have been counted.
    var levels = 0
  }

  /// The lists and objects directly in this one.
  private var containers: [JSONValue] {
    switch self {
    case .array(let elements): elements.filter(\.isContainer)
    case .object(let members): members.values.filter(\.isContainer)
    default: []
    }
  }

  var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// A number that identifies a list or an object and its copies, while they exist; `nil` for a leaf.
  private var identity: UInt? {
    // The bits of a collection are its reference to its storage. Two collections that exist at the same time and have
    // the same bits are copies of each other, whatever these bits are.
    switch self {
    case .array(let elements): withUnsafeBytes(of: elements) { $0.load(as: UInt.self) }
    case .object(let members): withUnsafeBytes(of: members) { $0.load(as: UInt.self) }
    default: nil
    }
  }
}
