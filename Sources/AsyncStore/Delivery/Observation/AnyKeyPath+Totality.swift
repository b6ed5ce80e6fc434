extension AnyKeyPath {
  /// True if this key path may trap in some states, because of a `!`, or of a subscript with an index whose value is
  /// not optional.
  ///
  /// Getters, and subscripts by keys, are expected to answer for every state. The standard library does not reveal the
  /// components of a key path, so its own memory is read, and nothing that it refers to. The layout is described in
  /// `docs/ABI/KeyPaths.md` of the Swift repository, and may change. So some key paths with a known answer are read
  /// first; unless the answers for all of them are right, no key path is said to trap.
  package var mayTrap: Bool { KeyPathComponents.areReadable && KeyPathComponents(self)?.mayTrap == true }
}

/// The components of a key path, which decide whether it may trap.
struct KeyPathComponents {
  private enum Component {
    case stored, getter, subscripted
    /// `?`, and the wrapping at the end of a chain.
    case chained
    case forced
  }

  /// True if key paths have the known layout.
  static let areReadable = Sample.expectations.allSatisfy { Self($0.keyPath)?.mayTrap == $0.mayTrap }

  private var components: [Component] = []
  /// True if a capture has to be released: an index has not, a string or another key path has.
  private let capturesObjects: Bool
  private let endsWithOptional: Bool

  fileprivate init?(_ keyPath: AnyKeyPath) {
    endsWithOptional = type(of: keyPath).valueType is any AnyOptional.Type
    let reader = Reader(keyPath)
    capturesObjects = reader.capturesObjects
    guard let components = withExtendedLifetime(keyPath, { reader.components() }) else { return nil }
    self.components = components
  }

  fileprivate var mayTrap: Bool {
    components.indices.contains { (index: Int) -> Bool in
      switch components[index] {
      case .forced: true
      case .subscripted where !capturesObjects:
        // Its result is an optional if it is the last component and the whole value is one, or if a `?` follows.
        index + 1 < components.endIndex ? components[index + 1] != .chained : !endsWithOptional
      default: false
      }
    }
  }

  private struct Reader {
    let capturesObjects: Bool
    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer

    init(_ keyPath: AnyKeyPath) {
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let word = MemoryLayout<UInt>.size
      // After the header of every object come the name for Cocoa, and the size of the components, with flags.
      let header = (object + 3 * word).load(as: UInt32.self)
      capturesObjects = header & 0x8000_0000 == 0
      position = object + 4 * word
      end = position + min(Int(header & 0xFF_FFFF), 4096)
    }

    /// - Returns: the components, or `nil` if any of them is unknown.
    consuming func components() -> [Component]? {
      var components: [Component] = []
      while position < end {
        guard let component = component() else { return nil }
        components.append(component)
        // The type stands between two components.
        if position < end, word() == nil { return nil }
      }
      return components
    }

    private mutating func component() -> Component? {
      guard let header = half() else { return nil }
      switch header >> 24 & 0x7F {
      case 1, 3:  // of a structure, of a class; an offset that is too large follows
        if header & 0x7F_FFFF == 0x7F_FFFF, half() == nil { return nil }
        return .stored
      case 2:  // what identifies it, a getter, perhaps a setter, perhaps what is captured
        for _ in 0..<(header & 0x40_0000 == 0 ? 2 : 3) where word() == nil { return nil }
        return header & 0x08_0000 == 0 ? .getter : captures(areExternal: header & 0x10 != 0)
      case 4:
        return header & 0xFF == 2 ? .forced : .chained
      default:
        return nil
      }
    }

    /// Reads a subscript's arguments, or the types that a getter is generic over.
    ///
    /// - Parameter areExternal: true if the component is another module's and generic, which takes a word more.
    private mutating func captures(areExternal: Bool) -> Component? {
      guard let size = word(), let functions = word(), !areExternal || word() != nil, size <= UInt(end - position)
      else { return nil }
      position += Int(size)
      return functions == Sample.functionsOfTypes ? .getter : .subscripted
    }

    /// Returns the address of the functions that copy and compare the captures of the first component.
    mutating func captureFunctions() -> UInt? {
      guard let header = half(), header >> 24 & 0x7F == 2, header & 0x08_0000 != 0 else { return nil }
      for _ in 0..<(header & 0x40_0000 == 0 ? 3 : 4) where word() == nil { return nil }
      return word()
    }

    private mutating func half() -> UInt32? {
      guard end - position >= MemoryLayout<UInt32>.size else { return nil }
      defer { position += MemoryLayout<UInt32>.size }
      return position.load(as: UInt32.self)
    }

    /// Reads a word; words are aligned.
    private mutating func word() -> UInt? {
      let aligned = position.alignedUp(for: UInt.self)
      guard end - aligned >= MemoryLayout<UInt>.size else { return nil }
      position = aligned + MemoryLayout<UInt>.size
      return aligned.load(as: UInt.self)
    }
  }

  /// Key paths for which it is known whether they may trap.
  private struct Sample {
    struct Inner {
      var first = 0
      var second = 0
      var computed: Int { 0 }
    }

    final class Object { let stored = 0 }
    struct Generic<Value> { var computed: Int { 0 } }

    var stored = 0
    var optional: Inner?
    var object = Object()
    var computed: Int { 0 }
    var settable: Int {
      get { 0 }
      set {}
    }
    subscript(index: Int) -> Int { index }
    subscript(optional index: Int) -> Inner? { nil }
    subscript(key: String) -> Int { key.count }

    static var expectations: [(keyPath: AnyKeyPath, mayTrap: Bool)] {
      [
        (\Self.self, false), (\Self.stored, false), (\Self.computed, false), (\Self.settable, false),
        (\Self.object.stored, false), (\Self.optional?.second, false), (\Self.optional?.computed, false),
        (\Self.optional!.second, true), (\Self.[0], true), (\Self.[optional: 0], false),
        (\Self.[optional: 0]?.second, false), (\Self.["key"], false), (\[[Int]].[0].count, true),
        (\[[Int]].first?.count, false), (\[Self].[0].optional?.first, true), (\[String: Int].["key"], false),
        (computed(of: Int.self), false),
      ]
    }

    /// Makes a key path in a generic function, where it captures the types.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    static func computed<Value>(of type: Value.Type) -> AnyKeyPath { \Generic<Value>.computed }

    /// The functions of captures that are only types.
    static let functionsOfTypes: UInt? = {
      let keyPath = computed(of: Int.self)
      var reader = Reader(keyPath)
      return withExtendedLifetime(keyPath) { reader.captureFunctions() }
    }()
  }
}

private protocol AnyOptional {}
extension Optional: AnyOptional {}
