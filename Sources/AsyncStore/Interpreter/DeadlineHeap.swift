/// The deadlines of one store: a binary heap in which each slot of the strand table has at most one entry, so that a
/// cancelled deadline is really removed, in O(log n), and not left behind to be skipped later.
///
/// Equal deadlines come out in the order they went in.
struct DeadlineHeap {
  private struct Entry {
    var deadline: Moment
    var sequence: UInt64
    var slot: Int32

    func isBefore(_ other: Entry) -> Bool {
      (deadline, sequence) < (other.deadline, other.sequence)
    }
  }

  private var entries: ContiguousArray<Entry> = []
  /// Where in `entries` a slot's entry is; -1: it has none.
  private var positions: ContiguousArray<Int32> = []
  private var sequence: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var earliest: Moment? { entries.first?.deadline }

  func deadline(of slot: Int32) -> Moment? {
    guard slot < positions.count, positions[Int(slot)] >= 0 else { return nil }
    return entries[Int(positions[Int(slot)])].deadline
  }

  mutating func insert(_ slot: Int32, at deadline: Moment) {
    if Int(slot) >= positions.count {
      positions.append(contentsOf: repeatElement(-1, count: Int(slot) + 1 - positions.count))
    }
    precondition(positions[Int(slot)] < 0, "slot \(slot) has a deadline already")
    sequence &+= 1
    entries.append(Entry(deadline: deadline, sequence: sequence, slot: slot))
    siftUp(entries.count - 1)
  }

  mutating func removeEarliest() -> (deadline: Moment, slot: Int32) {
    let first = entries[0]
    remove(at: 0)
    return (first.deadline, first.slot)
  }

  mutating func remove(_ slot: Int32) {
    guard slot < positions.count, positions[Int(slot)] >= 0 else { return }
    remove(at: Int(positions[Int(slot)]))
  }

  private mutating func remove(at index: Int) {
    positions[Int(entries[index].slot)] = -1
    let last = entries.removeLast()
    if index < entries.count {
      entries[index] = last
      positions[Int(last.slot)] = Int32(index)
      siftDown(index)
      siftUp(index)
    }
    if entries.isEmpty, entries.capacity > 1024 {
      entries = []
      positions = []
    }
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    let entry = entries[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard entry.isBefore(entries[parent]) else { break }
      place(entries[parent], at: index)
      index = parent
    }
    place(entry, at: index)
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    let entry = entries[index]
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard entries[child].isBefore(entry) else { break }
      place(entries[child], at: index)
      index = child
    }
    place(entry, at: index)
  }

  private mutating func place(_ entry: Entry, at index: Int) {
    entries[index] = entry
    positions[Int(entry.slot)] = Int32(index)
  }
}
