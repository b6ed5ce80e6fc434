/// Notifying observers: a commit's deliveries, and the steps of a delivery under the lock.
extension Runtime {
  /// Returns whether this thread has to deliver the waiting items, under the lock.
  ///
  /// If another thread is delivering, it takes those items too, which spares this thread a second lock that the two
  /// would contend for.
  @inline(__always)
  func mustDeliver(_ core: inout Core) -> Bool {
    guard !core.deliveries.isEmpty else { return false }
    if core.deliveries.isDelivering { noteLeft(&core) }
    return !core.deliveries.isDelivering
  }

  @inline(never)
  private func noteLeft(_ core: inout Core) {
    if !DeliveryLoop.isDelivering(for: self) { core.deliveries.noteLeft() }
  }

  /// Begins a delivery, unless another thread delivers.
  ///
  /// - Parameter delaysOperation: true to leave everything except a few events to a task.
  func beginDelivery(
    _ batch: inout DeliveryBatch, isDelivering: Bool, delaysOperation: Bool
  ) -> DeliveryQueue.Progress {
    let isElsewhere = !isOnIsolation()
    return lockInlined { core in
      if !isDelivering, core.deliveries.leaveToDeliverer() { return .over }
      if delaysOperation, !core.deliveries.hasFewEventsOnly { return core.deliveries.end(&batch) }
      return core.deliveries.advance(&batch, isElsewhere: isElsewhere)
    }
  }

  /// Continues a delivery whose previous batch has been delivered.
  ///
  /// - Parameter reported: the records of the batch's events, which the store takes back.
  func continueDelivery(
    _ batch: inout DeliveryBatch, _ reported: inout SpareRecords, afterItems count: Int, calls limit: Int,
    hasFoundCycle: Bool, delaysOperation: Bool
  ) -> DeliveryQueue.Progress {
    let isElsewhere = !isOnIsolation()
    return lockInlined { core in
      if !reported.isEmpty { reported.give(to: &core.pass.spareRecords) }
      if core.deliveries.endUnsettled(&batch, hasFoundCycle: hasFoundCycle, afterItems: count) {
        return core.deliveries.isEmpty ? .over : .unsettled
      }
      if delaysOperation, !(batch.isEmpty && core.deliveries.hasFewEventsOnly) { return core.deliveries.end(&batch) }
      if core.deliveries.endService(after: limit, &batch) { return .unfinished }
      return core.deliveries.advance(&batch, isElsewhere: isElsewhere)
    }
  }

  func deliverOnActor() {
    inTurn { runtime in
      runtime.lock { $0.deliveries.reachActor() }
      DeliveryLoop.deliver(from: runtime)
    }
  }

  func reportUnsettled(_ identifiers: [EffectID]) {
    let identifiers = identifiers.sorted { $0.description < $1.description }
    let names = identifiers.map(\.description).joined(separator: ", ")
    let isTraced = instrumentation?.events.contains(.unsettledBindings) == true
    let moment = time.now()
    let isNew = lock { core in
      defer { core.lastReportedBindings = names }
      guard core.lastReportedBindings != names else { return false }
      // The event comes after the events that led to it, which wait in the queue.
      if isTraced {
        core.deliveries.append(.report(InstrumentEvent(.unsettledBindings(identifiers), nil, in: identity, at: moment)))
      }
      return true
    }
    guard isNew, !isTraced else { return }
    let (subject, verb) =
      identifiers.count == 1
      ? ("binding \(names) has triggered itself", "continues")
      : ("bindings \(names) have triggered each other", "continue")
    Thread.warn(
      "AsyncStore: the \(subject) \(DeliveryCycleSearch.visitLimit) times, and \(verb) in the background. To end the "
        + "cycle, map equal values to equal values or stop on a condition. To work through a list, receive one effect "
        + "per item instead of binding in a cycle."
    )
  }
}
