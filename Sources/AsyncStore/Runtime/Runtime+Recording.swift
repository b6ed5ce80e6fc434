// The events for an instrument, on their way into the deliveries.

extension Runtime {
  /// Records an event of a fiber, if the store has an instrument that wants it.
  func record(
    _ content: @autoclosure () -> TraceEvent<EffectProgram>.Content, as kind: EventKinds, of id: FiberID,
    _ core: inout Core
  ) {
    guard core.machine.options.traced.contains(kind), core.machine.isAlive(id), core.machine.fibers[id.slot].hasEffect
    else { return }
    record(core.machine.event(content(), of: id.slot, &core.pass), &core)
  }

  func record(_ event: consuming TraceEvent<EffectProgram>, _ core: inout Core) {
    append(event.kind, event.record, at: event.moment, &core)
    guard case .committed(let site, let count) = event.content, count > 1 else { return }
    for index in (site.index + 1)..<(site.index + count) {
      append(.committed, event.record.with(site.program.description(at: index)), at: event.moment, &core)
    }
  }

  /// Returns the record of the operation that the run is about to begin.
  func record(of run: Run) -> EffectRecord {
    let record = lock { core in
      core.machine.isAlive(run.id) ? EffectRecord(core.machine.record(of: run.id.slot)) : nil
    }
    guard let record else { preconditionFailure("an operation runs and is not in flight") }
    return record
  }

  /// Returns the effect that lifts another one into this store, if the store's instrument wants to know it.
  func origin(of run: Run) -> EffectOrigin? {
    guard let instrumentation, instrumentation.events.contains(.lifted) else { return nil }
    let number = run.runtime.lock { core in
      core.machine.isAlive(run.id) ? core.machine.fibers[run.id.slot].number : nil
    }
    return number.map { EffectOrigin(store: run.runtime.identity, effect: $0) }
  }

  /// Records what an effect that needs no fiber does.
  func record(_ kind: InstrumentEvent.Kind, _ effect: EffectDescription, _ core: inout Core) {
    guard core.machine.options.traced.contains(kind.asSet) else { return }
    append(kind, EventRecord(effect, number: core.machine.fibers.nextNumber()), at: time.now(), &core)
  }

  /// Records a change that a call has made, or that an inactive store has ignored.
  func recordChange(_ effect: @autoclosure () -> EffectDescription, _ core: inout Core) {
    guard core.machine.options.isTraced else { return }
    record(core.isActive ? .committed : .ignored, effect(), &core)
  }

  private func append(
    _ kind: consuming InstrumentEvent.Kind, _ record: EventRecord, at moment: Moment, _ core: inout Core
  ) {
    var states: StatePair?
    if case .committed = kind { states = core.statePairs?.take() }
    record.prepare(kind, at: moment, states)
    core.deliveries.append(record)
  }
}

extension TraceEvent<EffectProgram> {
  fileprivate var kind: InstrumentEvent.Kind {
    switch content {
    case .lifted(let origin): .lifted(from: origin)
    case .committed: .committed
    case .begun: .begun
    case .ended(let ending): .settled(EffectOutcome(ending))
    case .cancelled: .cancelled
    case .dropped: .dropped
    case .failed(let error): .failed(error)
    case .recovered(let error): .recovered(error)
    case .attempted(let attempt): .attempted(EffectAttempt(attempt))
    case .backedOff(let attempt, let error, let delay): .backedOff(attempt: attempt, error, .nanoseconds(delay))
    case .attemptsEnded(let ending): .attemptsEnded(EffectOutcome(ending))
    case .waiting(let wait): .waiting(InstrumentEvent.WaitReason(wait))
    case .waited(let wait, let isCancelled):
      .waited(InstrumentEvent.WaitReason(wait), isCancelled ? .cancelled : .finished)
    case .timedOut: .timedOut
    case .ticked(let tick, let late): .ticked(TimerTick(tick), late: .nanoseconds(late))
    }
  }
}

extension InstrumentEvent.WaitReason {
  fileprivate init(_ wait: TraceWait) {
    self =
      switch wait {
      case .place: .place
      case .cleanup: .cleanup
      case .window: .window
      case .turn: .turn
      case .backOff: .backOff
      }
  }
}
