/// A uniquely owned, growable array.
///
/// The array manages its own memory and holds no `Array`, because each of the machine's many small changes would first
/// check for other references to the array, which took one instruction of twenty. Elements are moved in and out,
/// without counting references.
struct UniqueArray<Element>: ~Copyable {
  private(set) var count = 0
  private(set) var capacity = 0
  /// `capacity` places, of which the first `count` are initialized; `nil` only while `capacity` is 0.
  private var places: UnsafeMutablePointer<Element>?

  var isEmpty: Bool { count == 0 }

  // By address, because a coroutine that is not inlined, as with large elements, gets memory for each access.
  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(place(of: index)) }
    @inline(__always) unsafeMutableAddress { place(of: index) }
  }

  /// Returns the address of an element, valid until the array grows.
  @inline(__always)
  func place(of index: Int) -> UnsafeMutablePointer<Element> {
    // One comparison for both bounds, because looking up fibers is most of the machine's work.
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "no such place")
    return places.unsafelyUnwrapped + index
  }

  @inline(__always)
  mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    (places.unsafelyUnwrapped + count).initialize(to: element)
    count += 1
  }

  /// Creates the element in place, because a large one would be copied through its metadata.
  @inline(__always)
  mutating func append(_ makeElement: () -> Element) {
    if count == capacity { grow() }
    (places.unsafelyUnwrapped + count).initialize(to: makeElement())
    count += 1
  }

  mutating func insert(_ element: consuming Element, at index: Int) {
    precondition(index >= 0 && index <= count, "no such place")
    if count == capacity { grow() }
    let place = places.unsafelyUnwrapped + index
    (place + 1).moveInitialize(from: place, count: count - index)
    place.initialize(to: element)
    count += 1
  }

  /// The elements in place, valid until the array grows.
  var elements: UnsafeMutableBufferPointer<Element> {
    mutating get { UnsafeMutableBufferPointer(start: places, count: count) }
  }

  func contains(where predicate: (Element) -> Bool) -> Bool { firstIndex(where: predicate) != nil }

  func firstIndex(where predicate: (Element) -> Bool) -> Int? { (0..<count).first { predicate(self[$0]) } }

  /// Removes the elements that satisfy the predicate, and keeps the order of the others.
  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    guard let places else { return }
    var kept = 0
    for index in 0..<count {
      if isRemoved(places[index]) {
        (places + index).deinitialize(count: 1)
      } else {
        if kept < index { (places + kept).moveInitialize(from: places + index, count: 1) }
        kept += 1
      }
    }
    count = kept
  }

  @inline(__always)
  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return (places.unsafelyUnwrapped + count).move()
  }

  /// Reverses the elements in place.
  mutating func reverse() {
    var elements = elements
    elements.reverse()
  }

  /// Removes all elements without visiting them; none of them may hold anything.
  ///
  /// - Parameter keepsCapacity: true to keep the memory, which is otherwise freed.
  @inline(__always)
  mutating func forgetAll(keepingCapacity keepsCapacity: Bool = false) {
    count = 0
    if keepsCapacity { return }
    guard let places else { return }
    Memory.release(places)
    (self.places, capacity) = (nil, 0)
  }

  @inline(never)
  private mutating func grow() {
    let room = max(4, capacity * 2)
    // Moved as bytes, large tables without a copy, because no element depends on its address.
    (places, capacity) = (Memory.resize(places, to: room), room)
  }

  deinit {
    guard let places else { return }
    places.deinitialize(count: count)
    Memory.release(places)
  }
}
