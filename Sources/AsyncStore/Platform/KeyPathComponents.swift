extension AnyKeyPath {
  /// True if this key path may trap in some states, because of a `!`, or of a subscript with an index whose value is
  /// not optional.
  ///
  /// Getters and subscripts by keys are expected to return a value in every state. The standard library does not reveal
  /// the components of a key path, so this reads the key path's own memory, and the tables of its subscripts'
  /// arguments. The layout is described in `docs/ABI/KeyPaths.md` of the Swift repository, and may change. So some key
  /// paths with known results are read first. Unless all of those results are right, no key path is reported to trap;
  /// if only the results from the tables are wrong, the tables are not read.
  package var mayTrap: Bool { KeyPathComponents.areReadable && KeyPathComponents(self)?.mayTrap == true }
}

/// The components of a key path, which determine whether it may trap.
struct KeyPathComponents {
  private enum Component {
    case stored, getter
    /// A subscript with a key: an argument that has to be released, such as a string.
    case keyed
    /// A subscript with an index: none of its arguments has to be released.
    case indexed
    /// `?`
    case chained
    /// The wrapping of a value that is not optional, at the end of a chain.
    case wrapped
    case forced
  }

  /// True if key paths have the known layout.
  static let areReadable = Sample.expectations.allSatisfy {
    Self($0.keyPath, readsTables: false)?.mayTrap == $0.mayTrap
  }
  /// True if the tables of arguments have the known layout too; checked only if key paths have theirs.
  private static let tablesAreReadable =
    areReadable && Sample.tableExpectations.allSatisfy { Self($0.keyPath, readsTables: true)?.mayTrap == $0.mayTrap }

  private var components: [Component] = []
  private let endsWithOptional: Bool

  fileprivate init?(_ keyPath: AnyKeyPath) { self.init(keyPath, readsTables: Self.tablesAreReadable) }

  private init?(_ keyPath: AnyKeyPath, readsTables: Bool) {
    endsWithOptional = type(of: keyPath).valueType is any AnyOptional.Type
    let reader = Reader(keyPath, readsTables: readsTables)
    guard let components = withExtendedLifetime(keyPath, { reader.components() }) else { return nil }
    self.components = components
  }

  fileprivate var mayTrap: Bool {
    components.indices.contains { (index: Int) -> Bool in
      switch components[index] {
      case .forced: true
      case .indexed:
        // The subscript's value is optional if it is the last component and the whole value is optional, or if a `?`
        // follows.
        index + 1 < components.endIndex ? components[index + 1] != .chained : !endsWithOptional
      default: false
      }
    }
  }

  private struct Reader {
    /// True if an argument of any component has to be released.
    private let capturesObjects: Bool
    private let readsTables: Bool
    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer

    init(_ keyPath: AnyKeyPath, readsTables: Bool) {
      self.readsTables = readsTables
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let word = MemoryLayout<UInt>.size
      // After the header of every object come the name for Cocoa and the size of the components, with flags.
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
        // The type lies between two components.
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
        return header & 0xFF == 2 ? .forced : header & 0xFF == 1 ? .wrapped : .chained
      default:
        return nil
      }
    }

    /// Reads a subscript's arguments, or the types that a getter is generic over.
    ///
    /// - Parameter areExternal: true if the component is generic and belongs to another module, which takes one more
    ///   word.
    private mutating func captures(areExternal: Bool) -> Component? {
      guard let size = word(), let functions = word(), !areExternal || word() != nil, size <= UInt(end - position)
      else { return nil }
      position += Int(size)
      if functions == Sample.functionsOfTypes { return .getter }
      guard capturesObjects else { return .indexed }
      return readsTables && !releasesArguments(functions) ? .indexed : .keyed
    }

    /// Returns whether a table has a function to release arguments, which comes first.
    private func releasesArguments(_ table: UInt) -> Bool {
      UnsafePointer<UInt>(bitPattern: table).map { $0.pointee != 0 } ?? false
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
      var list: [Int] = []
      var computed: Int { 0 }
    }

    final class Object { let stored = 0 }
    struct Generic<Value> { var computed: Int { 0 } }

    var stored = 0
    var optional: Inner?
    var optionalList: [Int]?
    var object = Object()
    var computed: Int { 0 }
    var settable: Int {
      get { 0 }
      set {}
    }
    subscript(index: Int) -> Int { index }
    subscript(optional index: Int) -> Inner? { nil }
    subscript(key: String) -> Int { key.count }
    subscript(inner key: String) -> Inner { Inner() }

    static var expectations: [(keyPath: AnyKeyPath, mayTrap: Bool)] {
      [
        (\Self.self, false), (\Self.stored, false), (\Self.computed, false), (\Self.settable, false),
        (\Self.object.stored, false), (\Self.optional?.second, false), (\Self.optional?.computed, false),
        (\Self.optional!.second, true), (\Self.[0], true), (\Self.[optional: 0], false),
        (\Self.[optional: 0]?.second, false), (\Self.["key"], false), (\[[Int]].[0].count, true),
        (\[[Int]].first?.count, false), (\[Self].[0].optional?.first, true), (\[String: Int].["key"], false),
        (computed(of: Int.self), false), (\Self.optionalList?[0], true), (\Self.optional?.list[0], true),
        (\Self.optional?.list.first?.bitWidth, false),
      ]
    }

    /// Key paths with keys and indices.
    static var tableExpectations: [(keyPath: AnyKeyPath, mayTrap: Bool)] {
      [
        (\Self.[inner: "key"].list[0], true), (\[Self].[0][inner: "key"].second, true), (\Self.["key"], false),
        (\Self.[inner: "key"].list.first, false), (\[[String: Int]].[0]["key"], true),
      ]
    }

    /// Creates a key path in a generic function, where it captures the types.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    static func computed<Value>(of type: Value.Type) -> AnyKeyPath { \Generic<Value>.computed }

    /// The functions of captures that consist only of types.
    static let functionsOfTypes: UInt? = {
      let keyPath = computed(of: Int.self)
      var reader = Reader(keyPath, readsTables: false)
      return withExtendedLifetime(keyPath) { reader.captureFunctions() }
    }()
  }
}

private protocol AnyOptional {}
extension Optional: AnyOptional {}
