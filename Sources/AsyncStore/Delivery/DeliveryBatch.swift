/// Deliveries that the thread which delivers for a store has taken out of its queue.
///
/// While it delivers them, others add to the queue. The memory of the two is exchanged, so that nothing is copied.
struct DeliveryBatch: ~Copyable {
  private var items = UniqueArray<DeliveryQueue.Item>()
  /// The number of items that have been taken.
  private var first = 0
  /// The number of items that are ready, with those that have been taken.
  private var readyCount = 0

  var isEmpty: Bool { first == items.count }

  /// Takes the next item that is ready, which the caller has to release.
  @inline(__always)
  mutating func popReady() -> DeliveryQueue.Item? {
    guard first < readyCount else { return nil }
    defer { first += 1 }
    return items[first]
  }

  /// Makes the next items ready, under the lock of the store: 32 at most, so that nobody waits for many, and one value
  /// of each observer.
  ///
  /// - Parameter isElsewhere: true if observers can't be told on this thread.
  /// - Returns: true if any item is ready.
  @inline(__always)
  mutating func makeReady(isElsewhere: Bool) -> Bool {
    let limit = min(first + 32, items.count)
    while readyCount < limit {
      if let observer = items[readyCount].observer {
        let isReady = !isElsewhere && observer._withUnsafeGuaranteedRef { $0.prepareIfDelivered() }
        guard isReady else { break }
      }
      readyCount += 1
    }
    return first < readyCount
  }

  /// Exchanges what is in it, all of which has been taken, for the items of a queue.
  @inline(__always)
  mutating func exchange(_ queued: inout UniqueArray<DeliveryQueue.Item>) {
    (first, readyCount) = (0, 0)
    // The memory of a long queue is given back.
    items.forgetAll(keepingCapacity: items.capacity <= 1024)
    swap(&items, &queued)
  }

  /// Puts what has not been taken back before the items of a queue.
  @inline(never)
  mutating func putBack(before queued: inout UniqueArray<DeliveryQueue.Item>) {
    var all = UniqueArray<DeliveryQueue.Item>()
    for index in first..<items.count { all.append(items[index]) }
    for index in 0..<queued.count { all.append(queued[index]) }
    queued = all
    items.forgetAll(keepingCapacity: true)
    (first, readyCount) = (0, 0)
  }
}

extension CommitObserver {
  /// Takes the oldest value, unless the one taken before has still to be delivered.
  @inline(__always)
  fileprivate final func prepareIfDelivered() -> Bool {
    if isPrepared { return false }
    prepare()
    isPrepared = true
    return true
  }
}
