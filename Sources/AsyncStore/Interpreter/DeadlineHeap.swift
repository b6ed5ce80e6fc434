/// The deadlines of one store: a heap in which each slot of the fiber table has at most one entry that counts.
///
/// Removing or moving a deadline leaves an outdated entry in the heap. Deleting that entry in place would require
/// tracking positions, a write to distant memory whenever an entry moves. The first entry is always valid. When
/// outdated entries outnumber valid ones by more than 32, all of them are removed.
///
/// Equal deadlines come out in the order in which they were inserted.
struct DeadlineHeap: ~Copyable {
  /// An entry packed into one number, so that comparing two takes no branch, which would be mispredicted half of the
  /// time.
  private struct Entry {
    private let key: Int128

    init(deadline: Moment, sequence: UInt32, slot: FiberSlot) {
      key = Int128(deadline.nanoseconds) << 64 | Int128(sequence) << 32 | Int128(slot.number)
    }

    var deadline: Moment { Moment(nanoseconds: Int64(truncatingIfNeeded: key >> 64)) }
    var sequence: UInt32 { UInt32(truncatingIfNeeded: key >> 32) }
    var slot: FiberSlot { FiberSlot(number: UInt32(truncatingIfNeeded: key)) }

    func isBefore(_ other: Entry) -> Bool { key < other.key }
  }

  private var entries = UniqueArray<Entry>()
  /// The sequence number of each slot's valid entry, or 0 if the slot has none.
  private var valid = UniqueArray<UInt32>()
  private var sequence: UInt32
  /// The number of valid entries.
  private(set) var count = 0

  /// - Parameter sequence: the sequence number of the deadline before the first one.
  init(sequence: UInt32 = 0) { self.sequence = sequence }

  var isEmpty: Bool { count == 0 }
  /// The number of entries, outdated ones included.
  var entryCount: Int { entries.count }
  var earliest: Moment? { entries.isEmpty ? nil : entries[0].deadline }
  /// The slot with the earliest deadline; there must be one.
  var earliestSlot: FiberSlot { entries[0].slot }

  /// Returns the valid deadlines by their slots.
  func bySlot() -> [FiberSlot: Moment] {
    var deadlines: [FiberSlot: Moment] = [:]
    for index in 0..<entries.count where isValid(entries[index]) {
      deadlines[entries[index].slot] = entries[index].deadline
    }
    return deadlines
  }

  /// Returns the first distinct deadlines in a range, in order.
  ///
  /// - Complexity: linear in the number of deadlines.
  func first(_ maximumCount: Int, in range: ClosedRange<Moment>) -> [Moment] {
    var first: [Moment] = []
    for index in 0..<entries.count {
      let deadline = entries[index].deadline
      guard range.contains(deadline), isValid(entries[index]) else { continue }
      let place = first.firstIndex { $0 >= deadline } ?? first.count
      if place == maximumCount || place < first.count && first[place] == deadline { continue }
      if first.count == maximumCount { first.removeLast() }
      first.insert(deadline, at: place)
    }
    return first
  }

  mutating func insert(_ slot: FiberSlot, at deadline: Moment) {
    makeRoom(for: slot)
    precondition(valid[slot.index] == 0, "slot \(slot) has a deadline already")
    if sequence == .max { renumber() }
    sequence += 1
    valid[slot.index] = sequence
    count += 1
    entries.append(Entry(deadline: deadline, sequence: sequence, slot: slot))
    siftUp(entries.count - 1)
  }

  /// Moves a slot's deadline, if it has one, to another slot, and keeps its place among equal deadlines.
  ///
  /// - Parameter deadline: the deadline of the slot.
  mutating func move(_ deadline: Moment, from slot: FiberSlot, to other: FiberSlot) {
    guard slot.index < valid.count, valid[slot.index] > 0 else { return }
    makeRoom(for: other)
    precondition(valid[other.index] == 0, "slot \(other) has a deadline already")
    valid[other.index] = valid[slot.index]
    valid[slot.index] = 0
    entries.append(Entry(deadline: deadline, sequence: valid[other.index], slot: other))
    siftUp(entries.count - 1)
    dropOutdated()
  }

  mutating func removeEarliest() -> (deadline: Moment, slot: FiberSlot) {
    let first = entries[0]
    remove(first.slot)
    return (first.deadline, first.slot)
  }

  mutating func remove(_ slot: FiberSlot) {
    guard slot.index < valid.count, valid[slot.index] > 0 else { return }
    valid[slot.index] = 0
    count -= 1
    if count == 0 { removeAll() } else { dropOutdated() }
  }

  private mutating func makeRoom(for slot: FiberSlot) { while slot.index >= valid.count { valid.append(0) } }

  /// Removes outdated entries: all of them if there are many, otherwise those at the top.
  private mutating func dropOutdated() {
    if entryCount > 2 * count + 32 {
      keepValid()
    } else {
      while !isValid(entries[0]) { removeFirst() }
    }
  }

  private func isValid(_ entry: Entry) -> Bool { valid[entry.slot.index] == entry.sequence }

  private mutating func removeAll() {
    sequence = 0
    // Keep `valid`, which the next deadline would have to allocate again. It is as long as the table of fibers, and is
    // freed with that table.
    if entries.capacity > 1024 { entries.forgetAll() } else { entries.removeAll { _ in true } }
  }

  private mutating func keepValid() {
    removeOutdated()
    for index in (0..<entries.count / 4 + 1).reversed() { siftDown(entries[index], from: index) }
  }

  /// Renumbers the entries from 1.
  ///
  /// Sequence numbers cannot run out.
  private mutating func renumber() {
    removeOutdated()
    // A sorted array is a heap.
    var elements = entries.elements
    elements.sort { $0.isBefore($1) }
    for index in 0..<entries.count {
      let entry = entries[index]
      entries[index] = Entry(deadline: entry.deadline, sequence: UInt32(index + 1), slot: entry.slot)
      valid[entry.slot.index] = UInt32(index + 1)
    }
    sequence = UInt32(entries.count)
  }

  private mutating func removeOutdated() {
    let valid = valid.elements
    entries.removeAll { valid[$0.slot.index] != $0.sequence }
  }

  private mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    siftDown(last, from: 0)
  }

  private mutating func siftUp(_ start: Int) {
    let entries = entries.elements
    var index = start
    let entry = entries[index]
    while index > 0 {
      let parent = (index - 1) / 4
      guard entry.isBefore(entries[parent]) else { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = entry
  }

  private mutating func siftDown(_ entry: Entry, from start: Int) {
    let entries = entries.elements
    var index = start
    while true {
      let first = 4 * index + 1
      guard first < entries.count else { break }
      let child: Int
      if first + 3 < entries.count {
        let left = entries[first + 1].isBefore(entries[first]) ? first + 1 : first
        let right = entries[first + 3].isBefore(entries[first + 2]) ? first + 3 : first + 2
        child = entries[right].isBefore(entries[left]) ? right : left
      } else {
        child = (first..<entries.count).min { entries[$0].isBefore(entries[$1]) } ?? first
      }
      guard entries[child].isBefore(entry) else { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = entry
  }
}
