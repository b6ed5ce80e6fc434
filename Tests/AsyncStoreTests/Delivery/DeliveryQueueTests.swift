import Testing

@testable import AsyncStore

@Suite("The queue of deliveries")
struct DeliveryQueueTests {
  @Test("One thread at a time delivers, and the others leave their deliveries to it")
  func oneDeliverer() {
    var queue = DeliveryQueue()
    let areLeft = [queue.leaveToDeliverer(), queue.leaveToDeliverer()]
    #expect(areLeft == [false, true])
    var batch = DeliveryBatch()
    let progress = queue.advance(&batch, isElsewhere: false)
    #expect(progress == .over)
    let isLeft = queue.leaveToDeliverer()
    #expect(!isLeft)
  }

  @Test("A deliverer that ends learns whether anything has come meanwhile")
  func leftOver() {
    var queue = DeliveryQueue()
    _ = queue.leaveToDeliverer()
    queue.append(.released(0))
    var batch = DeliveryBatch()
    let progress = queue.end(&batch)
    #expect(progress == .unfinished)
  }

  @Test("A deliverer's service ends only when others have left it enough, and more is waiting")
  func service() {
    var queue = DeliveryQueue()
    queue.append(.released(0))
    var batch = DeliveryBatch()
    let areLeft = (0..<3).map { _ in queue.leaveToDeliverer() }
    #expect(areLeft == [false, true, true])
    let endsEarly = queue.endService(after: 3, &batch)
    let isFourthLeft = queue.leaveToDeliverer()
    let ends = queue.endService(after: 3, &batch)
    #expect((endsEarly, isFourthLeft, ends) == (false, true, true))
    let isNextLeft = queue.leaveToDeliverer()
    #expect(!isNextLeft, "it delivers, and what is left to it is counted anew")
    let endsAtOnce = queue.endService(after: 1, &batch)
    #expect(!endsAtOnce)
    queue.deliverAll()
    let areLeftAgain = [queue.leaveToDeliverer(), queue.leaveToDeliverer()]
    #expect(areLeftAgain == [false, true])
    let endsInVain = queue.endService(after: 1, &batch)
    #expect(!endsInVain, "nothing is left to hand over")
  }

  @Test("Up to 32 event records are reused, emptied, unless somebody has kept them")
  func spareRecords() {
    var told = SpareRecords()
    var spares = UniqueArray<EventRecord>()
    let kept = EventRecord(EffectDescription(.sleep), number: 0, label: "kept")
    told.release(.passRetained(kept))
    let isEmpty = told.isEmpty
    #expect(isEmpty && kept.place.label == "kept")
    func toldRecord() -> EventRecord {
      let record = EventRecord()
      record.use(for: EffectDescription(.sleep)) { place in
        place = EffectPlace(identifier: "inner", outer: ["outer"], label: "told")
      }
      return record
    }
    for _ in 1...100 { told.release(.passRetained(toldRecord())) }
    told.give(to: &spares)
    #expect(spares.count == 32)
    while let spare = spares.popLast() {
      let place = spare.place
      #expect(place.identifier == nil && place.outer.isEmpty && place.label == nil && spare.next == nil)
    }
  }

  @Test("The queue of deliveries requests one turn for everything that waits")
  func turns() {
    var queue = DeliveryQueue()
    let requests = [queue.awaitActor(), queue.awaitActor()]
    #expect(requests == [true, false])
    queue.reachActor()
    let isRequested = queue.awaitActor()
    #expect(isRequested)
  }

  @Test(
    "The queue of deliveries keeps the order over any appends and removals, and releases each item once",
    arguments: 0..<20)
  func order(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let census = Census()
    var (appended, removed) = (0, 0)
    do {
      var queue = DeliveryQueue()
      for _ in 0..<200 {
        for _ in 0..<random.next() % 80 {
          queue.append(.released(Numbered(number: appended, canary: census.canary())))
          appended += 1
        }
        _ = queue.leaveToDeliverer()
        var batch = DeliveryBatch()
        var count = random.next() % 90
        while count > 0, queue.advance(&batch, isElsewhere: false) == .ready {
          if random.next() % 4 == 0 {
            queue.append(.released(Numbered(number: appended, canary: census.canary())))
            appended += 1
          }
          while count > 0, let item = batch.popReady() {
            #expect(item.number == removed)
            item.release()
            removed += 1
            count -= 1
          }
        }
        // Undelivered items are put back before the rest.
        _ = queue.end(&batch)
        let isEmpty = queue.isEmpty
        #expect(isEmpty == (appended == removed))
      }
      #expect(census.alive == appended - removed)
    }
    #expect(census.alive == 0, "what was not delivered is released with the queue")
  }
}

private struct Numbered: Sendable {
  let number: Int
  let canary: Census.Canary
}

extension DeliveryQueue {
  /// Makes all deliveries and ends, as the thread that delivers.
  mutating func deliverAll() {
    var batch = DeliveryBatch()
    while advance(&batch, isElsewhere: false) == .ready {
      while let item = batch.popReady() { item.release() }
    }
  }
}

extension DeliveryQueue.Item {
  fileprivate var number: Int? {
    guard case .other(let box) = self, case .released(let value) = box.takeUnretainedValue().content else { return nil }
    return (value as? Numbered)?.number
  }
}
