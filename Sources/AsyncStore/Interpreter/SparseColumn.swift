/// What few strands have, by their slots, beside the table of strands.
///
/// It is nothing at all until the first strand has it: a store is made with a number of these, and mostly fills none.
/// So what it is then is one reference to an object; a dictionary that is absent costs more to release.
struct SparseColumn<Value>: ~Copyable {
  private final class Values {
    var bySlot: [Int32: Value] = [:]
  }

  private var values: Values?

  var isEmpty: Bool { values?.bySlot.isEmpty ?? true }

  /// Changed where it is, and not by a copy: a value may be a long queue.
  subscript(slot: Int32) -> Value? {
    get { values?.bySlot[slot] }
    _modify {
      if values == nil { values = Values() }
      yield &values!.bySlot[slot]
    }
  }

  mutating func removeValue(forKey slot: Int32) -> Value? { values?.bySlot.removeValue(forKey: slot) }
}
