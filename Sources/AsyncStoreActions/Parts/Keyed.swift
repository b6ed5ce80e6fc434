/// A collection whose elements have keys, such as a dictionary, an array of identifiable elements, or an ordered state.
///
/// Conform your own collection to scope its elements with ``Part``. The collection has to be a value: a copy of it must
/// not change when the original does.
public protocol Keyed<Key, Value> {
  /// The type that identifies an element.
  associatedtype Key: Hashable
  /// An element.
  associatedtype Value

  /// Returns the element with a key, or `nil` if there is none.
  func value(for key: Key) -> Value?
  /// Changes the element with a key in place; does nothing if there is none.
  mutating func modifyValue(for key: Key, _ body: (inout Value) -> Void)
}

extension Dictionary: Keyed {
  /// Returns the value for a key, or `nil` if there is none.
  public func value(for key: Key) -> Value? { self[key] }

  /// Changes the value for a key in place.
  ///
  /// - Complexity: constant; nothing is copied.
  public mutating func modifyValue(for key: Key, _ body: (inout Value) -> Void) {
    guard let index = index(forKey: key) else { return }
    body(&values[index])
  }
}

extension Array: Keyed where Element: Identifiable {
  /// Returns the first element with an identity, or `nil` if there is none.
  public func value(for key: Element.ID) -> Element? { first { $0.id == key } }

  /// Changes the first element with an identity in place.
  ///
  /// - Complexity: linear in the number of earlier elements; nothing is copied.
  public mutating func modifyValue(for key: Element.ID, _ body: (inout Element) -> Void) {
    guard let index = firstIndex(where: { $0.id == key }) else { return }
    body(&self[index])
  }
}
