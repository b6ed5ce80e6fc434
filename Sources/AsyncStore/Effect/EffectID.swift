/// The identifier of an effect in flight, for `cancel`, `join` and the policies for effects under the same identifier.
///
/// Any `Hashable & Sendable` value serves as an identifier, and most interfaces take one directly. Create an `EffectID`
/// to build a path; cancelling a prefix of the path cancels everything under that prefix. A value that is not equal to
/// itself, like `Double.nan`, identifies nothing that could be found again.
///
/// ```swift
/// let page = EffectID("feed").appending("page").appending(3)
/// // page.isUnder("feed") == true
/// ```
///
/// An identifier is local to its store: equal identifiers in two stores stand for different effects.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
  /// Strings and integers, the usual identifiers, are stored directly; everything else is boxed.
  private enum Storage: Hashable, Sendable {
    case string(String)
    case integer(Int)
    case path(Path)
  }

  private let storage: Storage

  /// Creates an identifier of one component.
  ///
  /// If the value is an `EffectID`, the result is that `EffectID`.
  @inlinable
  public init<Value: Hashable & Sendable>(_ value: Value) {
    // Types are compared before values are cast: a dynamic cast costs more than everything else done with an
    // identifier.
    if Value.self == String.self {
      self.init(string: value as! String)
    } else if Value.self == Int.self {
      self.init(integer: value as! Int)
    } else if Value.self == EffectID.self {
      self = value as! EffectID
    } else {
      self.init(boxing: value)
    }
  }

  @usableFromInline
  init(string: String) { storage = .string(string) }

  @usableFromInline
  init(integer: Int) { storage = .integer(integer) }

  @usableFromInline
  init(boxing value: some Hashable & Sendable) { storage = .path(Path([Component(value)])) }

  private init(_ path: [Component]) { storage = .path(Path(path)) }

  /// Returns this path with a value appended, or with all components of an `EffectID` appended.
  public func appending<Value: Hashable & Sendable>(_ value: Value) -> EffectID {
    EffectID(components + EffectID(value).components)
  }

  /// True if the identifier may hold a value of a user's own type.
  var holdsReferences: Bool {
    switch storage {
    case .string, .integer: false
    case .path: true
    }
  }

  /// Returns whether this path is `prefix` or begins with it.
  ///
  /// Two components are the same only if their types are too: 1 as an `Int` is not 1 as a `UInt8`.
  public func isUnder(_ prefix: EffectID) -> Bool { components.starts(with: prefix.components) }

  /// The components, separated by `/`.
  public var description: String { components.map { String(describing: $0.value.base) }.joined(separator: "/") }

  private var components: [Component] {
    switch storage {
    case .string(let string): [Component(string)]
    case .integer(let integer): [Component(integer)]
    case .path(let path): path.components
    }
  }

  /// A value with its type, because `AnyHashable` alone ignores the type where numbers are equal.
  private struct Component: Hashable {
    let value: AnyHashable
    let type: ObjectIdentifier

    init<Value: Hashable>(_ value: Value) {
      self.value = AnyHashable(value)
      type = ObjectIdentifier(Value.self)
    }
  }

  /// A path of components.
  ///
  /// `@unchecked` because `AnyHashable` is not `Sendable`: every component is made from a `Sendable` value, and nothing
  /// changes it afterwards.
  private final class Path: Hashable, @unchecked Sendable {
    let components: [Component]

    init(_ components: [Component]) { self.components = components }

    static func == (left: Path, right: Path) -> Bool { left.components == right.components }
    func hash(into hasher: inout Hasher) { hasher.combine(components) }
  }
}

extension EffectID: ExpressibleByStringLiteral {
  /// Creates an identifier of one string.
  public init(stringLiteral value: String) { self.init(value) }
}

extension EffectID: ScopeIdentifier {}
