#if Actions
  import OrderedCollections

  /// Elements in an explicit order, each found by its identity in constant time.
  ///
  /// Each identity occurs once: adding an element whose identity already exists moves and replaces that element. An
  /// element keeps its identity while it is in the collection; this is checked where an element is changed in place.
  ///
  /// `OrderedState` is not a `MutableCollection`: algorithms for those have an element in two places while they swap,
  /// and one of the two would be lost here. Its own methods sort, reverse, shuffle, swap and partition without loss.
  ///
  /// ```swift
  /// struct Chore: Identifiable, Sendable { let id: String; var isDone = false }
  /// var tasks: OrderedState<Chore> = [Chore(id: "a"), Chore(id: "b"), Chore(id: "c")]
  /// tasks.move(from: [0], to: 3)
  /// tasks[id: "b"]?.isDone = true
  /// tasks.remove(id: "c")
  /// // tasks.map(\.id) == ["b", "a"]
  /// // tasks[0].isDone == true
  /// ```
  ///
  /// Requires the package trait `Actions`, which is enabled by default.
  public struct OrderedState<Element: Identifiable> {
    private var elements: OrderedDictionary<Element.ID, Element>

    /// Creates an empty collection.
    public init() { elements = [:] }

    /// Creates a collection of elements in their order; if several have the same identity, the last one is kept, in its
    /// place.
    ///
    /// - Complexity: linear.
    public init(_ elements: some Sequence<Element>) {
      self.elements = [:]
      // From the end, where the last element of an identity comes first, so that nothing has to be moved.
      for element in elements.reversed() where !contains(id: element.id) { self.elements[element.id] = element }
      self.elements.reverse()
    }

    /// The elements in order.
    public var values: [Element] { Array(elements.values) }
    /// The identities in order.
    public var ids: [Element.ID] { Array(elements.keys) }

    /// The element with an identity.
    ///
    /// Setting an element whose identity exists replaces that element in its place; an element with a new identity is
    /// appended; `nil` removes the element. The new element's own identity has to equal `id`.
    public subscript(id id: Element.ID) -> Element? {
      get { elements[id] }
      set {
        trap(
          unless: newValue.map { $0.id == id } ?? true,
          "An element was set under an identity that is not its own. Set it under its own `id`.")
        elements[id] = newValue
      }
    }

    /// Returns whether an element has this identity.
    public func contains(id: Element.ID) -> Bool { elements[id] != nil }

    /// Returns the index of the element with an identity, or `nil` if there is none.
    public func index(of id: Element.ID) -> Int? { elements.index(forKey: id) }

    // MARK: Adding

    /// Adds an element at the end.
    public mutating func append(_ element: Element) { insert(element, at: count) }

    /// Adds an element at the beginning.
    public mutating func prepend(_ element: Element) { insert(element, at: 0) }

    /// Adds an element before the one at an index, or at the end.
    ///
    /// - Parameters:
    ///   - element: the element, which replaces one with the same identity.
    ///   - index: from 0 up to the count; anything else traps.
    public mutating func insert(_ element: Element, at index: Int) {
      checkPlace(index)
      var place = index
      if let old = elements.index(forKey: element.id) {
        elements.remove(at: old)
        if old < index { place -= 1 }
      }
      elements.updateValue(element, forKey: element.id, insertingAt: place)
    }

    /// Adds elements before the one at an index, or at the end, in their order.
    ///
    /// - Complexity: linear in the number of new elements and of those after them; in the number of all elements, if
    ///   one of the new ones already exists.
    public mutating func insert(_ new: some Sequence<Element>, at index: Int) {
      checkPlace(index)
      let new = Self(new)
      let behind = elements.values[index...].filter { !new.contains(id: $0.id) }
      elements.removeLast(count - index)
      if new.contains(where: { contains(id: $0.id) }) { elements.removeAll { new.contains(id: $0.key) } }
      for element in new.values + behind { elements[element.id] = element }
    }

    private func checkPlace(_ index: Int) {
      trap(unless: (0...count).contains(index), "The index must be from 0 to \(count), not \(index).")
    }

    // MARK: Removing

    /// Removes the element with an identity; does nothing if there is none.
    @discardableResult
    public mutating func remove(id: Element.ID) -> Element? { elements.removeValue(forKey: id) }

    /// Removes the element at an index.
    @discardableResult
    public mutating func remove(at index: Int) -> Element { elements.remove(at: index).value }

    /// Removes the elements at indices, for example an `IndexSet`; does nothing for an index without an element.
    ///
    /// - Complexity: linear in the elements and the indices.
    public mutating func remove(at indices: some Sequence<Int>) {
      let keys = elements.keys
      let removed = Set(indices.lazy.filter(keys.indices.contains).map { keys[$0] })
      elements.removeAll { removed.contains($0.key) }
    }

    /// Removes all elements that satisfy a condition.
    public mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
      try elements.removeAll { try isRemoved($0.value) }
    }

    /// Removes all elements.
    public mutating func removeAll() { elements.removeAll() }

    // MARK: Moving

    /// Moves the elements at indices, for example an `IndexSet`, in their order, to the position before the element
    /// that is at another index before the move.
    ///
    /// The method suits a list's `onMove`.
    public mutating func move(from indices: some Sequence<Int>, to destination: Int) {
      checkPlace(destination)
      let moved = Set(indices)
      var before: [Element] = []
      var chosen: [Element] = []
      var after: [Element] = []
      for (index, element) in elements.values.enumerated() {
        if moved.contains(index) {
          chosen.append(element)
        } else if index < destination {
          before.append(element)
        } else {
          after.append(element)
        }
      }
      elements = OrderedDictionary(uniqueKeysWithValues: (before + chosen + after).map { ($0.id, $0) })
    }

    /// Swaps the elements at two indices; the same index twice changes nothing.
    ///
    /// - Complexity: constant.
    public mutating func swapAt(_ first: Int, _ second: Int) { elements.swapAt(first, second) }

    /// Reverses the order.
    public mutating func reverse() { elements.reverse() }

    /// Shuffles the elements.
    public mutating func shuffle() { elements.shuffle() }

    /// Shuffles the elements with a random number generator.
    public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
      elements.shuffle(using: &generator)
    }

    /// Moves the elements that satisfy a condition behind all others; the order within each group may change.
    ///
    /// - Returns: the index of the first element that satisfies the condition, or the count.
    @discardableResult
    public mutating func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
      try elements.partition { try belongsInSecondPartition($0.value) }
    }

    /// Sorts the elements; equal elements keep their order.
    public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
      try elements.sort { try areInIncreasingOrder($0.value, $1.value) }
    }

    /// Sorts the elements by `<`; equal elements keep their order.
    public mutating func sort() where Element: Comparable { sort(by: <) }
  }

  extension OrderedState: RandomAccessCollection {
    /// The first index, 0.
    public var startIndex: Int { 0 }
    /// The count.
    public var endIndex: Int { elements.count }

    /// The element at an index.
    ///
    /// Setting an element replaces the one at the index. Its identity may be the same or a new one; the identity of
    /// another element in the collection traps, since one of the two would be lost.
    ///
    /// - Complexity: constant; linear if the new element has another identity.
    public subscript(index: Int) -> Element {
      get { elements.values[index] }
      set {
        guard elements.keys[index] != newValue.id else { return elements.values[index] = newValue }
        trap(
          unless: !contains(id: newValue.id),
          "\(newValue.id) is already in the collection, at another index. Remove that element first.")
        elements.remove(at: index)
        elements.updateValue(newValue, forKey: newValue.id, insertingAt: index)
      }
    }
  }

  extension OrderedState: ExpressibleByArrayLiteral {
    /// Creates a collection of elements in their order.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
  }

  extension OrderedState: Keyed {
    /// Returns the element with an identity, or `nil` if there is none.
    public func value(for key: Element.ID) -> Element? { elements[key] }

    /// Changes the element with an identity in place.
    ///
    /// - Parameters:
    ///   - key: the identity; nothing happens if no element has it.
    ///   - body: must not change the element's identity, which traps; to give the element another one, remove it and
    ///     insert it again.
    /// - Complexity: constant; nothing is copied.
    public mutating func modifyValue(for key: Element.ID, _ body: (inout Element) -> Void) {
      guard let index = elements.index(forKey: key) else { return }
      body(&elements.values[index])
      let id = elements.values[index].id
      trap(
        unless: id == key,
        "\(key) was changed to \(id) in place. To change an identity, remove the element and insert it again.")
    }
  }

  extension OrderedState: Sendable where Element: Sendable, Element.ID: Sendable {}
  extension OrderedState: Equatable where Element: Equatable {}
  extension OrderedState: Hashable where Element: Hashable {}

  extension OrderedState: Decodable where Element: Decodable {
    /// Decodes a list of elements.
    ///
    /// - Throws: `DecodingError` if two elements have the same identity; the errors of the elements' own decoding.
    public init(from decoder: any Decoder) throws {
      self.init()
      for element in try [Element](from: decoder)
      where elements.updateValue(element, forKey: element.id) != nil {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: "two elements have the same identity"))
      }
    }
  }

  extension OrderedState: Encodable where Element: Encodable {
    /// Encodes the elements as a list, in order.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
  }

  extension OrderedState: CustomStringConvertible {
    /// The elements in order.
    public var description: String { values.description }
  }
#endif
