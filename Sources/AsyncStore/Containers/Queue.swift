/// A first-in, first-out queue that drops its oldest element for a newer one when it is full.
package struct Queue<Element> {
  private var elements: [Element?] = []
  private var first = 0

  package init() {}

  package var isEmpty: Bool { first == elements.count }
  package var count: Int { elements.count - first }

  /// - Parameter capacity: the most elements that may wait, 1 or more.
  /// - Returns: the element that was dropped for it, if any.
  @discardableResult
  package mutating func append(_ element: Element, capacity: Int = .max) -> Element? {
    elements.append(element)
    return elements.count - first > max(capacity, 1) ? popFirst() : nil
  }

  /// Removes and returns the oldest element.
  ///
  /// It leaves a hole, so that the queue keeps nothing of the element. Holes are removed in bulk, so that a long queue
  /// stays linear.
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
