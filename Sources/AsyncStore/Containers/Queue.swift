/// A first-in, first-out queue that drops its oldest element for a newer one when it is full.
package struct Queue<Element> {
  /// `nil` until there is an element: most queues of a store never have one, and creating and releasing an empty array
  /// takes as many instructions as a change of the state.
  private var elements: [Element?]?
  private var first = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  package var count: Int { (elements?.count ?? 0) - first }
  package var oldest: Element? { count > 0 ? elements?[first] ?? nil : nil }

  /// - Parameter capacity: the maximum number of elements that may wait, at least 1.
  /// - Returns: the element that was dropped to make room, if any.
  @discardableResult
  package mutating func append(_ element: Element, capacity: Int = .max) -> Element? {
    if elements == nil { elements = [] }
    elements?.append(element)
    return count > max(capacity, 1) ? popFirst() : nil
  }

  /// Reserves room for more elements at once, instead of by doubling.
  package mutating func reserve(_ more: Int) {
    if elements == nil { elements = [] }
    let known = elements?.count ?? 0
    elements?.reserveCapacity(known + more)
  }

  /// Removes and returns the oldest element.
  ///
  /// Leaves a hole, so that the queue keeps nothing of the element. Holes are removed in bulk, so that a long queue
  /// stays linear.
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = elements?[first].take()
    first += 1
    if first == elements?.count {
      elements?.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= count {
      elements?.removeFirst(first)
      first = 0
    }
    return element
  }
}
