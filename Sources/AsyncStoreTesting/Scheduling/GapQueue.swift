/// A queue whose first element is usually the first to leave, in constant time.
///
/// Removing the first element leaves a gap. The gap is closed once it takes up most of the array, so that this takes
/// amortized constant time for each element.
struct GapQueue<Element> {
  private var elements: ContiguousArray<Element> = []
  private var gap = 0

  var count: Int { elements.count - gap }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[gap] }
  var all: ArraySlice<Element> { elements[gap...] }

  subscript(index: Int) -> Element {
    get { elements[gap + index] }
    _modify { yield &elements[gap + index] }
  }

  mutating func reserveCapacity(_ capacity: Int) { elements.reserveCapacity(capacity) }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func insert(_ element: Element, at index: Int) {
    if index == count { elements.append(element) } else { elements.insert(element, at: gap + index) }
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    guard index == 0 else { return elements.remove(at: gap + index) }
    let element = elements[gap]
    gap += 1
    closeGap()
    return element
  }

  private mutating func closeGap() {
    if gap == elements.count {
      // Usually the gap is one element, and removing that takes a few instructions.
      if gap == 1 { elements.removeLast() } else { elements.removeAll(keepingCapacity: true) }
      gap = 0
    } else if gap >= 64, gap * 2 > elements.count {
      elements.removeFirst(gap)
      gap = 0
    }
  }
}

extension GapQueue: Sendable where Element: Sendable {}
