/// A queue whose elements can be removed at any place in amortized constant time.
///
/// A removed element stays in its place, so that the others need not move. It goes once it is the first one, or
/// together with all removed elements when they are more than half.
struct SparseQueue<Element> {
  struct Slot {
    let element: Element
    fileprivate(set) var isRemoved = false
  }

  private var queue = GapQueue<Slot>()
  private var removedCount = 0

  /// The number of elements that have not been removed.
  var count: Int { queue.count - removedCount }
  /// The first element that has not been removed.
  var first: Element? { queue.first?.element }
  /// The elements that have not been removed.
  var elements: some BidirectionalCollection<Element> { slots.lazy.filter { !$0.isRemoved }.map(\.element) }
  /// All slots that are still there; the first of them has not been removed.
  var slots: ArraySlice<Slot> { queue.all }

  /// The element at a place among ``slots``, counted from 0.
  subscript(index: Int) -> Element { queue[index].element }

  mutating func append(_ element: Element) { queue.append(Slot(element: element)) }

  /// - Parameter index: a place among ``slots``, counted from 0.
  mutating func insert(_ element: Element, at index: Int) {
    queue.insert(Slot(element: element), at: index)
  }

  @discardableResult
  mutating func removeFirst() -> Element {
    let element = queue.remove(at: 0).element
    if removedCount > 0 { dropFirstRemoved() }
    return element
  }

  /// - Parameter index: the place, among ``slots`` and counted from 0, of an element that has not been removed.
  @discardableResult
  mutating func remove(at index: Int) -> Element {
    guard index > 0 else { return removeFirst() }
    queue[index].isRemoved = true
    removedCount += 1
    let element = queue[index].element
    if removedCount >= 32, removedCount * 2 > queue.count { dropRemoved() }
    return element
  }

  private mutating func dropFirstRemoved() {
    while queue.first?.isRemoved == true {
      queue.remove(at: 0)
      removedCount -= 1
    }
  }

  private mutating func dropRemoved() {
    let left = slots.filter { !$0.isRemoved }
    queue = GapQueue()
    removedCount = 0
    for slot in left { queue.append(slot) }
  }
}

extension SparseQueue.Slot: Sendable where Element: Sendable {}
extension SparseQueue: Sendable where Element: Sendable {}
