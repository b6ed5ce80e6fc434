/// The jobs that could run now, in the order in which they became runnable.
struct RunQueue: Sendable {
  struct Entry: Sendable {
    let job: UnownedJob
    /// Whether it belongs to the main actor.
    let isMain: Bool
  }

  private var entries: ContiguousArray<Entry> = []
  private var first = 0

  var count: Int { entries.count - first }

  subscript(index: Int) -> Entry { entries[first + index] }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func remove(at index: Int) -> Entry {
    let entry = entries[first + index]
    if index == 0 {
      first += 1
      closeGap()
    } else {
      entries.remove(at: first + index)
    }
    return entry
  }

  /// The gap is closed when it is most of the array, so that this costs next to nothing for each entry.
  private mutating func closeGap() {
    if first == entries.count {
      // Mostly it is one, and to remove that takes a few instructions.
      if entries.count == 1 { entries.removeLast() } else { entries.removeAll(keepingCapacity: true) }
      first = 0
    } else if first >= 64, first * 2 > entries.count {
      entries.removeFirst(first)
      first = 0
    }
  }

  mutating func removeAll() {
    entries = []
    first = 0
  }
}
