import Testing

@testable import AsyncStore

@Suite("The deadline heap")
struct DeadlineHeapTests {
  private struct Entry { var deadline: Moment; var order: Int; var slot: FiberSlot }

  /// The slots of the earliest deadlines, in order.
  private func removeEarliest(_ count: Int, of heap: inout DeadlineHeap) -> [Int] {
    var slots: [Int] = []
    for _ in 0..<count { slots.append(heap.removeEarliest().slot.index) }
    return slots
  }

  @Test("The deadline heap agrees with a sorted array under random insertions and removals", arguments: 0..<20)
  func againstSortedArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // With half of the seeds the sequence numbers run out during the test, more than once.
    var heap = DeadlineHeap(sequence: seed % 2 == 0 ? 0 : .max - 300)
    var model: [Entry] = []
    for order in 0..<2_000 {
      let slot = FiberSlot(index: Int(random.next() % 64))
      switch random.next() % 6 {
      case 0..<3 where !model.contains { $0.slot == slot }:
        let deadline = Self.deadline(&random)
        heap.insert(slot, at: deadline)
        model.append(Entry(deadline: deadline, order: order, slot: slot))
        model.sort { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
      case 3:
        heap.remove(slot)
        model.removeAll { $0.slot == slot }
      case 4:
        let other = FiberSlot(index: Int(random.next() % 64))
        guard !model.contains(where: { $0.slot == other }) else { continue }
        let place = model.firstIndex { $0.slot == slot }
        heap.move(place.map { model[$0].deadline } ?? .zero, from: slot, to: other)
        if let place { model[place].slot = other }
      default:
        guard !model.isEmpty else { continue }
        let first = model.removeFirst()
        let earliest = heap.removeEarliest()
        #expect(earliest.slot == first.slot && earliest.deadline == first.deadline)
      }
      let (count, isEmpty, earliest, bySlot) = (heap.count, heap.isEmpty, heap.earliest, heap.bySlot())
      #expect(count == model.count && isEmpty == model.isEmpty)
      #expect(earliest == model.first?.deadline)
      #expect(bySlot == Dictionary(uniqueKeysWithValues: model.map { ($0.slot, $0.deadline) }))
    }
  }

  /// Draws one of few deadlines, so that many are equal.
  ///
  /// Some are below zero, as on a clock that runs backwards.
  private static func deadline(_ random: inout SplitMix64) -> Moment {
    let number = Int64(random.next() % 18) - 8
    return Moment(nanoseconds: number == 9 ? .min : number == 8 ? .max - 1 : number)
  }

  @Test("The deadline heap takes as long for a slot far up as for any other", .timeLimit(.minutes(10)))
  func law23_highSlot() {
    var heap = DeadlineHeap()
    // Making room for all the slots below it each time would take minutes.
    for round in 0..<TestSize.many(2_000_000) {
      heap.insert(FiberSlot(index: 1_000_000), at: Moment(nanoseconds: Int64(round)))
      heap.remove(FiberSlot(index: 1_000_000))
    }
    let isEmpty = heap.isEmpty
    #expect(isEmpty)
  }

  @Test("The deadline heap gives equal deadlines in the order in which they went in")
  func law13_equalDeadlinesKeepTheirOrder() {
    var heap = DeadlineHeap()
    for slot in [5, 3, 9, 1, 7] { heap.insert(FiberSlot(index: slot), at: Moment(nanoseconds: 4)) }
    heap.remove(FiberSlot(index: 9))
    heap.insert(FiberSlot(index: 9), at: Moment(nanoseconds: 4))
    #expect(removeEarliest(5, of: &heap) == [5, 3, 1, 7, 9])
  }

  @Test("The deadline heap ignores the removal of a slot that has no deadline")
  func unknownSlot() {
    var heap = DeadlineHeap()
    heap.remove(FiberSlot(index: 7))
    let (isEmpty, earliest, bySlot) = (heap.isEmpty, heap.earliest, heap.bySlot())
    #expect(isEmpty && earliest == nil && bySlot.isEmpty)
  }

  @Test("The deadline heap renumbers its entries when its numbers are used up, and keeps their order")
  func law13_numbersComeToTheirEnd() {
    var heap = DeadlineHeap(sequence: .max - 3)
    for slot in [5, 3, 9, 1, 7] { heap.insert(FiberSlot(index: slot), at: Moment(nanoseconds: 4)) }
    heap.insert(FiberSlot(index: 2), at: Moment(nanoseconds: 3))
    heap.remove(FiberSlot(index: 9))
    heap.insert(FiberSlot(index: 9), at: Moment(nanoseconds: 4))
    #expect(removeEarliest(6, of: &heap) == [2, 5, 3, 1, 7, 9])
    let isEmpty = heap.isEmpty
    #expect(isEmpty)
  }

  @Test("The deadline heap removes outdated entries once they are many more than the others")
  func outdatedEntriesAreBounded() {
    var heap = DeadlineHeap()
    for slot in 0..<100 { heap.insert(FiberSlot(index: slot), at: Moment(nanoseconds: Int64(slot))) }
    for round in 0..<1_000 {
      heap.remove(FiberSlot(index: 99))
      heap.insert(FiberSlot(index: 99), at: Moment(nanoseconds: Int64(1_000 - round % 7)))
      let (entryCount, count) = (heap.entryCount, heap.count)
      #expect(entryCount <= 2 * count + 33)
    }
    for slot in (2..<100).reversed() {
      heap.remove(FiberSlot(index: slot))
      let (entryCount, count) = (heap.entryCount, heap.count)
      #expect(entryCount <= 2 * count + 33)
    }
    #expect(removeEarliest(2, of: &heap) == [0, 1])
    let (isEmpty, entryCount) = (heap.isEmpty, heap.entryCount)
    #expect(isEmpty && entryCount == 0)
  }

  @Test("The deadline heap gives a hundred thousand deadlines in order")
  func large() {
    var heap = DeadlineHeap()
    var random = SplitMix64(seed: 3)
    for slot in 0..<100_000 {
      heap.insert(FiberSlot(index: slot), at: Moment(nanoseconds: Int64(random.next() % 1_000_000)))
    }
    for slot in stride(from: 0, to: 100_000, by: 3) { heap.remove(FiberSlot(index: slot)) }
    var last = Moment.zero
    var isSorted = true
    while !heap.isEmpty {
      let deadline = heap.removeEarliest().deadline
      isSorted = isSorted && last <= deadline
      last = deadline
    }
    #expect(isSorted)
  }
}

@Suite("A moment")
struct MomentTests {
  @Test("A moment saturates at both ends of time")
  func saturates() {
    let late = Moment(nanoseconds: .max - 1)
    #expect(late.advanced(by: 5) == Moment(nanoseconds: .max))
    #expect(Moment(nanoseconds: .min + 1).advanced(by: -5) == Moment(nanoseconds: .min))
    #expect(Moment(nanoseconds: .min).distance(to: late) == .max)
    #expect(late.distance(to: Moment(nanoseconds: .min)) == .min)
  }

  @Test("A span is multiplied exactly even if 64 bits are too few")
  func multiplies() {
    #expect(Duration(nanoseconds: 3, times: 4) == .nanoseconds(12))
    #expect(Duration(nanoseconds: .max, times: 2) == .nanoseconds(Int64.max) * 2)
  }

  @Test("A duration is rounded up or down to whole nanoseconds")
  func roundsUp() {
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).nanosecondsRoundedUp == 1)
    #expect(Duration.nanoseconds(7).nanosecondsRoundedUp == 7)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: -1).nanosecondsRoundedDown == -1)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).nanosecondsRoundedDown == 0)
    #expect(Duration.nanoseconds(-7).nanosecondsRoundedDown == -7)
    #expect(Duration.seconds(-20).nanosecondsRoundedDown == -20_000_000_000)
    #expect(Duration.seconds(1).nanosecondsRoundedUp == 1_000_000_000)
    #expect(Duration(secondsComponent: 20, attosecondsComponent: 1).nanosecondsRoundedUp == 20_000_000_001)
    #expect(Duration(secondsComponent: 20, attosecondsComponent: 1).nanosecondsRoundedDown == 20_000_000_000)
    #expect(Duration.seconds(86_400).nanosecondsRoundedUp == 86_400_000_000_000)
    #expect(Duration.seconds(Int64.max).nanosecondsRoundedUp == .max)
    #expect(Duration.seconds(Int64.min).nanosecondsRoundedUp == .min)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: -1).nanosecondsRoundedUp == 0)
  }
}
