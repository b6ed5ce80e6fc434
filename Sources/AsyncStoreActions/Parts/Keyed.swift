/// A collection whose elements have keys: a dictionary, an array of identifiable elements, an ordered state.
///
/// Conform a collection of your own to have its elements scoped by ``Part``. It has to be a value: a copy of it must
/// not change when it does.
public protocol Keyed<Key, Value> {
  /// The type that identifies an element.
  associatedtype Key: Hashable
  /// An element.
  associatedtype Value

  /// The element with a key, or `nil`.
  func value(for key: Key) -> Value?
  /// Changes the element with a key where it is; does nothing if there is none.
  mutating func modifyValue(for key: Key, _ body: (inout Value) -> Void)
}

extension Dictionary: Keyed {
  /// The value for a key, or `nil`.
  public func value(for key: Key) -> Value? { self[key] }

  /// Changes the value for a key where it is.
  ///
  /// - Complexity: constant; nothing is copied.
  public mutating func modifyValue(for key: Key, _ body: (inout Value) -> Void) {
    guard let index = index(forKey: key) else { return }
    body(&values[index])
  }
}

extension Array: Keyed where Element: Identifiable {
  /// The first element with an identity, or `nil`.
  public func value(for key: Element.ID) -> Element? { first { $0.id == key } }

  /// Changes the first element with an identity where it is.
  ///
  /// - Complexity: linear in the elements before it; nothing is copied.
  public mutating func modifyValue(for key: Element.ID, _ body: (inout Element) -> Void) {
    guard let index = firstIndex(where: { $0.id == key }) else { return }
    body(&self[index])
  }
}
