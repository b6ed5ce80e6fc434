/// Deliveries that a store's delivering thread has taken out of the queue.
///
/// While the thread delivers them, others add to the queue. The batch and the queue exchange their memory, so that
/// nothing is copied.
struct DeliveryBatch: ~Copyable {
  private var items = UniqueArray<DeliveryQueue.Item>()
  /// The number of items taken.
  private var first = 0
  /// The number of items that are ready, including the items taken.
  private var readyCount = 0

  var isEmpty: Bool { first == items.count }

  /// Takes the next item that is ready; the caller has to release it.
  @inline(__always)
  mutating func popReady() -> DeliveryQueue.Item? {
    guard first < readyCount else { return nil }
    defer { first += 1 }
    return items[first]
  }

  /// Makes the next items ready, under the lock of the store: at most 32, so that nobody waits for many, and at most
  /// one value of each observer.
  ///
  /// - Parameter isElsewhere: true if observers can't be notified on this thread.
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

  /// Exchanges the memory of the batch, all of whose items have been taken, for the items of a queue.
  @inline(__always)
  mutating func exchange(_ queued: inout UniqueArray<DeliveryQueue.Item>) {
    (first, readyCount) = (0, 0)
    // The memory of a long queue is freed.
    items.forgetAll(keepingCapacity: items.capacity <= 1024)
    swap(&items, &queued)
  }

  /// Puts the items that were not taken back in front of the items of a queue.
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
  /// Takes the oldest value, unless the previously taken one still has to be delivered.
  @inline(__always)
  fileprivate final func prepareIfDelivered() -> Bool {
    if isPrepared { return false }
    prepare()
    isPrepared = true
    return true
  }
}
