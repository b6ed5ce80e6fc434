/// The ends of a list linked through `nextHolder` and `previousHolder` of its fibers.
struct SlotList: Equatable {
  var first = FiberSlot.none
  var last = FiberSlot.none
  var count: Int32 = 0

  var isEmpty: Bool { !first.exists }
}
