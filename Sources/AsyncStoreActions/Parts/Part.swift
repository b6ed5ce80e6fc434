import AsyncStore

/// The path to a part of a state that may be missing: a property, the value of an optional, an element with a key, or a
/// part of these.
///
/// A path reads the part, and changes it in place. If the part is missing, reading returns `nil` and changing does
/// nothing.
///
/// ```swift
/// struct Shelf: Sendable { var books: [String: Int] = ["Emma": 2], lamp: Bool? = nil }
/// var shelf = Shelf()
/// Part(\Shelf.books, key: "Emma").modify(&shelf) { $0 += 1 }
/// Part(\Shelf.books, key: "Ulysses").modify(&shelf) { $0 += 1 }
/// Part(optional: \Shelf.lamp).modify(&shelf) { $0.toggle() }
/// // shelf.books == ["Emma": 3]
/// // shelf.lamp == nil
/// ```
///
/// Two parts are equal if they have the same path.
public struct Part<Whole: Sendable, Value: Sendable>: Sendable {
  private let route: Route
  let get: @Sendable (Whole) -> Value?
  let change: @Sendable (inout Whole, (inout Value) -> Void) -> Void
  /// The keys on the path, which prefix the identifiers of an element's effects.
  let keys: EffectID?
  /// The collection that contains the part as an element, if the collection is a stored property.
  let source: TrackedSource<Whole>?

  private init(
    route: Route, keys: EffectID?, source: TrackedSource<Whole>? = nil, get: @escaping @Sendable (Whole) -> Value?,
    change: @escaping @Sendable (inout Whole, (inout Value) -> Void) -> Void
  ) {
    self.route = route
    self.keys = keys
    self.source = source
    self.get = get
    self.change = change
  }

  /// Creates the path to a property.
  public init(_ keyPath: WritableKeyPath<Whole, Value> & Sendable) {
    self.init(route: Route([keyPath]), keys: nil) {
      $0[keyPath: keyPath]
    } change: {
      $1(&$0[keyPath: keyPath])
    }
  }

  /// Creates the path to a property that is only read.
  package init(reading keyPath: KeyPath<Whole, Value> & Sendable) {
    self.init(route: Route([keyPath]), keys: nil) {
      $0[keyPath: keyPath]
    } change: { _, _ in
      fatalError("A read-only part was changed. Create the part with a writable key path.")
    }
  }

  /// Creates the path to the value of an optional property.
  public init(optional keyPath: WritableKeyPath<Whole, Value?> & Sendable) {
    self.init(route: Route([keyPath, "?"]), keys: nil) {
      $0[keyPath: keyPath]
    } change: { whole, body in
      guard whole[keyPath: keyPath] != nil else { return }
      body(&whole[keyPath: keyPath]!)
    }
  }

  /// Creates the path to the element of a collection with a key.
  public init<Elements: Keyed<Key, Value> & Sendable, Key: Sendable>(
    _ keyPath: WritableKeyPath<Whole, Elements> & Sendable, key: Key
  ) {
    self.init(route: Route([keyPath, AnyHashable(key)]), keys: EffectID(key), source: TrackedSource(keyPath)) {
      $0[keyPath: keyPath].value(for: key)
    } change: {
      $0[keyPath: keyPath].modifyValue(for: key, $1)
    }
  }

  /// Returns the path to a part of this part.
  public func appending<Inner>(_ inner: Part<Value, Inner>) -> Part<Whole, Inner> {
    let keys: EffectID? = if let keys, let more = inner.keys { keys.appending(more) } else { keys ?? inner.keys }
    let route = Part<Whole, Inner>.Route(route.steps + inner.route.steps)
    return Part<Whole, Inner>(route: route, keys: keys, source: source) { [get] whole in
      get(whole).flatMap { inner.get($0) }
    } change: { [change] whole, body in
      change(&whole) { inner.change(&$0, body) }
    }
  }

  /// True if reading the part can't trap, whatever the state.
  ///
  /// - Complexity: linear in the number of steps.
  var isTotal: Bool { route.steps.allSatisfy { ($0.base as? AnyKeyPath)?.mayTrap != true } }

  /// Returns the part of a state, or `nil` if it is missing.
  public func value(in whole: Whole) -> Value? { get(whole) }

  /// Changes the part of a state in place; does nothing if it is missing.
  public func modify(_ whole: inout Whole, _ body: (inout Value) -> Void) { change(&whole, body) }

  /// The steps to a part.
  ///
  /// `@unchecked` because `AnyHashable` is not `Sendable`: it holds key paths and keys, which are `Sendable`, and which
  /// nothing changes.
  private struct Route: Hashable, @unchecked Sendable {
    let steps: [AnyHashable]

    init(_ steps: [AnyHashable]) { self.steps = steps }
  }
}

extension Part: Hashable {
  /// Returns whether two parts have the same path.
  public static func == (left: Self, right: Self) -> Bool { left.route == right.route }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(route) }
}
