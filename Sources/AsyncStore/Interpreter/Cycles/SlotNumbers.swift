/// A number for each slot of a table, initially 0.
///
/// The system provides the memory already cleared. So a map for a large table is created quickly, and takes memory only
/// where it is written to.
struct SlotNumbers<Key: Slot>: ~Copyable {
  /// `nil` for an empty table.
  private let numbers: UnsafeMutablePointer<UInt32>?
  private let count: Int

  init(count: Int) {
    self.count = count
    numbers = count == 0 ? nil : Memory.allocateCleared(for: UInt32.self, count: count)
  }

  deinit { if let numbers { Memory.release(numbers) } }

  var isEmpty: Bool { count == 0 }

  subscript(slot: Key) -> UInt32 {
    get { place(of: slot).pointee }
    nonmutating set { place(of: slot).pointee = newValue }
  }

  private func place(of slot: Key) -> UnsafeMutablePointer<UInt32> {
    precondition(slot.number < count, "no such place")
    return numbers.unsafelyUnwrapped + slot.index
  }
}
