extension AnyKeyPath {
  /// Whether this may trap in some states: by a `!`, or by a subscript with an index that answers with no optional.
  ///
  /// Getters, and subscripts by keys, are expected to answer for every state. The standard library does not tell what a
  /// key path consists of. So its own memory is read, and nothing that it refers to; the layout is described in
  /// `docs/ABI/KeyPaths.md` of the Swift repository, and may change. So some key paths of which the answer is known are
  /// asked first; unless they all answer as they should, none is said to trap.
  package var mayTrap: Bool { KeyPathComponents.areReadable && KeyPathComponents(self)?.mayTrap == true }
}

/// The components of a key path, as far as they matter to whether it may trap.
struct KeyPathComponents {
  private enum Component {
    case stored, getter, subscripted
    /// `?`, and the wrapping at the end of a chain.
    case chained
    case forced
  }

  /// Whether the layout is the one that is known here.
  static let areReadable = Sample.expectations.allSatisfy { Self($0.keyPath)?.mayTrap == $0.mayTrap }

  private var components: [Component] = []
  /// True if something that is captured has to be released: an index has not, a string or another key path has.
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
        // Its result is an optional if it is the last and the whole is one, or if a `?` follows.
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
      // Behind the header of every object: the name for Cocoa, then the size of the components, with flags.
      let header = (object + 3 * word).load(as: UInt32.self)
      capturesObjects = header & 0x8000_0000 == 0
      position = object + 4 * word
      end = position + min(Int(header & 0xFF_FFFF), 4096)
    }

    /// - Returns: `nil` if something there is not known.
    consuming func components() -> [Component]? {
      var components: [Component] = []
      while position < end {
        guard let component = component() else { return nil }
        components.append(component)
        // Between two components is the type.
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

    /// A subscript's arguments, or the types that a getter is generic over.
    ///
    /// - Parameter areExternal: whether the component is another module's and generic, which takes a word more.
    private mutating func captures(areExternal: Bool) -> Component? {
      guard let size = word(), let functions = word(), !areExternal || word() != nil, size <= UInt(end - position)
      else { return nil }
      position += Int(size)
      return functions == Sample.functionsOfTypes ? .getter : .subscripted
    }

    /// What tells how to copy and to compare the captures of the first component.
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

    /// Words are aligned.
    private mutating func word() -> UInt? {
      let aligned = position.alignedUp(for: UInt.self)
      guard end - aligned >= MemoryLayout<UInt>.size else { return nil }
      position = aligned + MemoryLayout<UInt>.size
      return aligned.load(as: UInt.self)
    }
  }

  /// Key paths of which it is known whether they may trap.
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

    /// In a generic function a key path captures the types.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    static func computed<Value>(of type: Value.Type) -> AnyKeyPath { \Generic<Value>.computed }

    /// Of captures that are types alone.
    static let functionsOfTypes: UInt? = {
      let keyPath = computed(of: Int.self)
      var reader = Reader(keyPath)
      return withExtendedLifetime(keyPath) { reader.captureFunctions() }
    }()
  }
}

private protocol AnyOptional {}
extension Optional: AnyOptional {}
