/// The name of an effect in flight: what `cancel`, `join` and the policies for effects of the same name refer to.
///
/// Any `Hashable & Sendable` value serves as a name, and most interfaces take one directly. Create an `EffectID` to build
/// a path; cancelling the path's prefix cancels all that lies under it.
///
/// ```swift
/// let page = EffectID("feed").appending("page").appending(3)
/// // page.isUnder("feed") == true
/// ```
///
/// An identifier is local to its store: equal identifiers in two stores name different effects.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
  private let first: Component
  private let rest: [Component]

  /// Creates an identifier of one component.
  ///
  /// An `EffectID` stays what it is.
  public init(_ value: some Hashable & Sendable) {
    if let identifier = value as? EffectID {
      self = identifier
    } else {
      first = Component(value)
      rest = []
    }
  }

  private init(first: Component, rest: [Component]) {
    self.first = first
    self.rest = rest
  }

  /// The path one component longer.
  public func appending(_ value: some Hashable & Sendable) -> EffectID {
    EffectID(first: first, rest: rest + [Component(value)])
  }

  /// Whether this path is `prefix` or begins with it.
  public func isUnder(_ prefix: EffectID) -> Bool {
    first == prefix.first && rest.starts(with: prefix.rest)
  }

  /// The components, separated by `/`.
  public var description: String {
    ([first] + rest).map(\.description).joined(separator: "/")
  }

  /// Strings and integers, the usual names, are compared without a detour through an existential.
  private enum Component: Hashable, Sendable, CustomStringConvertible {
    case string(String)
    case integer(Int)
    case other(SendableHashable)

    init<Value: Hashable & Sendable>(_ value: Value) {
      if let string = value as? String {
        self = .string(string)
      } else if let integer = value as? Int {
        self = .integer(integer)
      } else {
        self = .other(SendableHashable(value))
      }
    }

    var description: String {
      switch self {
      case .string(let string): string
      case .integer(let integer): String(integer)
      case .other(let value): String(describing: value.base.base)
      }
    }
  }

  /// `@unchecked` because `AnyHashable` forgets what it holds: the only way in is through a value that is `Sendable`, and
  /// nothing changes it afterwards.
  private struct SendableHashable: Hashable, @unchecked Sendable {
    let base: AnyHashable
    init(_ value: some Hashable & Sendable) { base = AnyHashable(value) }
  }
}

extension EffectID: ExpressibleByStringLiteral {
  /// Creates an identifier of one string.
  public init(stringLiteral value: String) { self.init(value) }
}

extension EffectID: ScopeIdentifier {}
