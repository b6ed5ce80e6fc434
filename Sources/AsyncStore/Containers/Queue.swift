/// A queue, first in, first out, that drops its oldest for a newer one when it is full.
package struct Queue<Element> {
  private var elements: [Element?] = []
  private var first = 0

  package init() {}

  package var isEmpty: Bool { first == elements.count }

  /// - Parameter capacity: how many may wait, 1 or more.
  /// - Returns: what had to go for it.
  @discardableResult
  package mutating func append(_ element: Element, capacity: Int = .max) -> Element? {
    elements.append(element)
    return elements.count - first > max(capacity, 1) ? popFirst() : nil
  }

  /// Takes the oldest.
  ///
  /// It leaves a hole, so that nothing of it is kept; the holes go in bulk, so that a long queue stays linear.
  package mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first].take()
    first += 1
    if first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
