// The events for an instrument, on their way into the deliveries.

extension Runtime {
  enum SimpleEvent { case cancelled, failed(any Error) }

  func record(_ event: SimpleEvent, _ id: FiberID, _ core: inout Core) {
    guard let record = core.machine.record(of: id) else { return }
    switch event {
    case .cancelled: core.deliveries.append(.event(.cancelled(record)))
    case .failed(let error): core.deliveries.append(.event(.failed(record, error)))
    }
  }

  func record(_ event: TraceEvent<EffectProgram>, _ core: inout Core) {
    switch event {
    case .committed(let site, let count, let names):
      for index in site.index..<(site.index + count) {
        let record = EffectRecord(names, site.program.description(at: index))
        core.deliveries.append(.event(.committed(record)))
      }
    case .begun(let effect, let names):
      core.deliveries.append(.event(.begun(EffectRecord(names, effect))))
    case .ended(let effect, let names, let ending):
      core.deliveries.append(.event(.settled(EffectRecord(names, effect), EffectOutcome(ending))))
    case .dropped(let effect, let names):
      core.deliveries.append(.event(.dropped(EffectRecord(names, effect))))
    case .failed(let effect, let names, let error):
      core.deliveries.append(.event(.failed(EffectRecord(names, effect), error)))
    case .attempted(let effect, let names, let attempt):
      core.deliveries.append(.event(.attempted(EffectRecord(names, effect), EffectAttempt(attempt))))
    case .backedOff(let effect, let names, let attempt, let error, let delay):
      let record = EffectRecord(names, effect)
      core.deliveries.append(.event(.backedOff(record, attempt: attempt, error, .nanoseconds(delay))))
    }
  }
}

extension EffectRecord {
  fileprivate init(_ names: TraceNames<EffectProgram>, _ effect: EffectDescription) {
    id = names.identifier
    outerIDs = names.outer
    label = names.label
    self.effect = effect
  }
}

extension Machine<EffectProgram> {
  fileprivate func record(of id: FiberID) -> EffectRecord? {
    guard isAlive(id), let effect = fibers[id.slot].effect else { return nil }
    return EffectRecord(names(of: id.slot), effect)
  }

  func identifier(of slot: FiberSlot) -> EffectID? {
    let registration = fibers[slot].registration
    return registration.exists ? registry[registration].identifier : nil
  }
}
