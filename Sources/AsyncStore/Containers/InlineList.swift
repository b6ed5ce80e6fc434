/// A list whose first three items, usually all, take no memory of their own.
///
/// The first three items are moved in and out, because copying a few references costs more than most of the work on
/// them. Further items stay until the list is freed, so that their contents, for example the runs of a thousand tasks,
/// are mostly freed by the thread that created them. If other threads freed them while this thread allocates more, the
/// threads would wait for each other in the allocator.
struct InlineList<Item> {
  private var first: Item?
  private var second: Item?
  private var third: Item?
  private var others: ContiguousArray<Item>?
  private(set) var count = 0

  mutating func append(_ item: consuming Item) {
    switch count {
    case 0: first = item
    case 1: second = item
    case 2: third = item
    default:
      if others == nil { others = [] }
      others?.append(item)
    }
    count += 1
  }

  /// Reserves room for more items at once, instead of by doubling.
  mutating func reserve(_ more: Int) {
    guard count + more > 3 else { return }
    if others == nil { others = [] }
    others?.reserveCapacity(count + more - 3)
  }

  /// Returns whether the item at an index, which must not have been taken, satisfies a condition.
  func contains(at index: Int, where condition: (borrowing Item) -> Bool) -> Bool {
    switch index {
    case 0: if let first { condition(first) } else { false }
    case 1: if let second { condition(second) } else { false }
    case 2: if let third { condition(third) } else { false }
    default: if let others { condition(others[index - 3]) } else { false }
    }
  }

  /// Takes the item at an index, at most once.
  mutating func take(at index: Int) -> Item {
    switch index {
    case 0: first.take()!
    case 1: second.take()!
    case 2: third.take()!
    default: others![index - 3]
    }
  }
}
