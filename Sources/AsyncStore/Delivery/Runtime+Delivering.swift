extension Runtime {
  @inline(__always)
  func endChain() -> Bool { lockInPlace { $0.deliveries.endChain() } }

  /// Begins a delivery, unless another thread delivers.
  ///
  /// - Parameter isBrief: true if all but a few events is left to a task.
  func beginDelivery(_ batch: inout DeliveryBatch, isDelivering: Bool, isBrief: Bool) -> DeliveryQueue.Progress {
    let isElsewhere = !isOnIsolation()
    return lockInPlace { core in
      if !isDelivering, core.deliveries.leaveToDeliverer() { return .over }
      if isBrief, !core.deliveries.hasFewEventsOnly { return core.deliveries.end(&batch) }
      return core.deliveries.advance(&batch, isElsewhere: isElsewhere)
    }
  }

  /// Goes on with a delivery, of which the batch before has been delivered.
  ///
  /// - Parameter told: the records of the events in it, which the store takes back.
  func continueDelivery(
    _ batch: inout DeliveryBatch, _ told: inout SpareRecords, afterCalls limit: Int, isUnsettled: Bool, isBrief: Bool
  ) -> DeliveryQueue.Progress {
    let isElsewhere = !isOnIsolation()
    return lockInPlace { core in
      if !told.isEmpty { told.give(to: &core.pass.spareRecords) }
      if isUnsettled || isBrief && !(batch.isEmpty && core.deliveries.hasFewEventsOnly) {
        return core.deliveries.end(&batch)
      }
      if core.deliveries.endService(after: limit, &batch) { return .unfinished }
      return core.deliveries.advance(&batch, isElsewhere: isElsewhere)
    }
  }

  func requestTurn() {
    inTurn { runtime in
      runtime.lock { $0.deliveries.beginTurn() }
      DeliveryLoop.deliver(from: runtime)
    }
  }

  func reportUnsettled(_ identifiers: [EffectID]) {
    let identifiers = identifiers.sorted { $0.description < $1.description }
    let names = identifiers.map(\.description).joined(separator: ", ")
    let isTraced = instrumentation?.events.contains(.unsettledBindings) == true
    let moment = time.now()
    let isNew = lock { core in
      defer { core.unsettled = names }
      guard core.unsettled != names else { return false }
      // It follows the events that led to it, which wait in the queue.
      if isTraced {
        core.deliveries.append(.report(InstrumentEvent(.unsettledBindings(identifiers), nil, in: identity, at: moment)))
      }
      return true
    }
    guard isNew, !isTraced else { return }
    Thread.warn(
      "AsyncStore: bindings in a cycle have not settled after \(CycleSearch.visitLimit) rounds: \(names). "
        + "Map equal values to equal values, or break the cycle."
    )
  }
}
