/// A queue, first in, first out, that drops its oldest for a newer one when it is full.
struct Ring<Element> {
  private var elements: [Element] = []
  private var first = 0
  private(set) var dropped = 0

  var isEmpty: Bool { first == elements.count }

  /// - Parameter capacity: how many may wait, 1 or more.
  mutating func append(_ element: Element, capacity: Int = .max) {
    elements.append(element)
    guard elements.count - first > max(capacity, 1) else { return }
    _ = popFirst()
    dropped += 1
  }

  /// Takes the oldest.
  ///
  /// What was taken is dropped from the front in bulk, so that a long queue stays linear.
  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    first += 1
    if first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
