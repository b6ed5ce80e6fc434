import Testing

@testable import AsyncStore

@Suite("The queue of deliveries")
struct DeliveryQueueTests {
  @Test("has one deliverer at a time, to whom the others leave theirs")
  func oneDeliverer() {
    var queue = DeliveryQueue()
    let areLeft = [queue.leaveToDeliverer(), queue.leaveToDeliverer()]
    #expect(areLeft == [false, true])
    let isDone = queue.endDelivery()
    #expect(isDone)
    let isLeft = queue.leaveToDeliverer()
    #expect(!isLeft)
  }

  @Test("tells a deliverer that ends whether anything has come meanwhile")
  func leftOver() {
    var queue = DeliveryQueue()
    _ = queue.leaveToDeliverer()
    queue.append(.released(0))
    let isDone = queue.endDelivery()
    #expect(!isDone)
  }

  @Test("ends the service of a deliverer only when others have left it enough, and there is more")
  func service() {
    var queue = DeliveryQueue()
    queue.append(.released(0))
    let areLeft = (0..<3).map { _ in queue.leaveToDeliverer() }
    #expect(areLeft == [false, true, true])
    let endsEarly = queue.endService(after: 3)
    let isFourthLeft = queue.leaveToDeliverer()
    let ends = queue.endService(after: 3)
    #expect((endsEarly, isFourthLeft, ends) == (false, true, true))
    let isNextLeft = queue.leaveToDeliverer()
    #expect(!isNextLeft, "it delivers, and what is left to it is counted anew")
    let endsAtOnce = queue.endService(after: 1)
    #expect(!endsAtOnce)
    queue.removeAll()
    _ = queue.leaveToDeliverer()
    let endsInVain = queue.endService(after: 1)
    #expect(!endsInVain, "nothing is left to hand over")
  }

  @Test("requests one turn for all that waits")
  func turns() {
    var queue = DeliveryQueue()
    let requests = [queue.awaitTurn(), queue.awaitTurn()]
    #expect(requests == [true, false])
    queue.beginTurn()
    let isRequested = queue.awaitTurn()
    #expect(isRequested)
  }

  @Test("keeps the order over any mix of appends and removals, and releases each item once", arguments: 0..<20)
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
        for _ in 0..<random.next() % 90 {
          guard let item = queue.next else { continue }
          #expect(item.number == removed)
          queue.removeFirst()
          item.release()
          removed += 1
        }
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
  fileprivate mutating func removeAll() {
    while let item = next {
      removeFirst()
      item.release()
    }
  }
}

extension DeliveryQueue.Item {
  fileprivate var number: Int? {
    guard case .other(let box) = self, case .released(let value) = box.takeUnretainedValue().content else { return nil }
    return (value as? Numbered)?.number
  }
}
