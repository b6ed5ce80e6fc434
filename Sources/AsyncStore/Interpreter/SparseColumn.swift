/// What few strands have, by their slots, beside the table of strands.
///
/// It is nothing at all until the first strand has it: a store is made with a number of these, and mostly fills none.
struct SparseColumn<Value> {
  private var values: [Int32: Value]?

  var isEmpty: Bool { values?.isEmpty ?? true }

  /// Changed where it is, and not by a copy: a value may be a long queue.
  subscript(slot: Int32) -> Value? {
    get { values?[slot] }
    _modify {
      if values == nil { values = [:] }
      yield &values![slot]
    }
  }

  mutating func removeValue(forKey slot: Int32) -> Value? { values?.removeValue(forKey: slot) }
}
