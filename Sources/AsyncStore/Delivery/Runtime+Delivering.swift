extension Runtime {
  @inline(__always)
  func endChain() -> Bool { lockInPlace { $0.deliveries.endChain() } }

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
  func continueDelivery(
    _ batch: inout DeliveryBatch, afterCalls limit: Int, isUnsettled: Bool, isBrief: Bool, hasTold: Bool
  ) -> DeliveryQueue.Progress {
    let isElsewhere = !isOnIsolation()
    return lockInPlace { core in
      if hasTold { instrumentation?.told.give(to: &core.pass.spareRecords) }
      if isUnsettled || isBrief && !(batch.isEmpty && core.deliveries.hasFewEventsOnly) {
        return core.deliveries.end(&batch)
      }
      if core.deliveries.endService(after: limit, &batch) { return .unfinished }
      return core.deliveries.advance(&batch, isElsewhere: isElsewhere)
    }
  }

  /// Tells the instrument of an event, and releases that.
  func tell(_ event: Unmanaged<EventRecord>) {
    guard let instrumentation, let instrument = instrumentation.instrument else { return event.release() }
    event._withUnsafeGuaranteedRef { $0.tell(instrument, in: identity) }
    instrumentation.told.release(event)
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
