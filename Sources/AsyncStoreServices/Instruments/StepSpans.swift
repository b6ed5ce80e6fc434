#if Services
  import AsyncStore
  import Tracing

  /// The spans of steps, each of which is the parent of a retry's attempts.
  ///
  /// Operations come from their tasks, events from whoever delivers them, and neither waits for the other. A step is
  /// over when both have been told that nothing of it goes on, and then an event comes that is not part of it: the
  /// events of one step that follow each other without a wait have no other event between them.
  ///
  /// | state | after | leaves it |
  /// |---|---|---|
  /// | `working` | an attempt or an effect of it has begun | when the last effect has ended |
  /// | `undecided` | an operation of it has failed | by a back-off, or by the failure of the retry |
  /// | `backingOff` | the retry has backed off | by the next attempt, or when the wait is cancelled |
  /// | `idle` | nothing of it goes on | by the next effect of it, or by an event of something else, which ends it |
  struct StepSpans {
    struct Key: Hashable {
      let store: UInt64
      /// The number of the effect that retries.
      let effect: UInt64
    }

    private enum State { case working, undecided, backingOff, idle }

    private struct Step {
      var state = State.working
      /// The effects that have begun and not ended, as events tell it.
      var effects = 0
      /// The operations in their wrappers.
      var operations = 0
      var span: (any Span)?
      /// The end of the last operation.
      var end = DefaultTracerClock.now
      /// True if the next attempt is so far away that it is a step of its own.
      var isSuspended = false
    }

    private var steps: [Key: Step] = [:]
    private var idle: Set<Key> = []
    /// The contexts of steps that a long wait has ended, for the links of those that follow.
    private var suspended: [Key: ServiceContext] = [:]

    // MARK: Operations

    /// Notes that an operation of a step begins.
    ///
    /// - Returns: the context of the step, whose span is started if there is none.
    mutating func operationBegins(_ key: Key, start: () -> any Span) -> ServiceContext {
      var step = steps[key] ?? Step()
      step.operations += 1
      let span = step.span ?? start()
      if step.span == nil, let earlier = suspended.removeValue(forKey: key) {
        span.addLink(SpanLink(context: earlier, attributes: [:]))
      }
      step.span = span
      steps[key] = step
      return span.context
    }

    mutating func operationEnded(_ key: Key) {
      steps[key]?.operations -= 1
      steps[key]?.end = DefaultTracerClock.now
      // Its events may all have come before.
      if let step = steps[key], step.isSuspended, step.operations == 0 { return end(key) }
      if let step = steps[key], step.effects <= 0, step.state == .working { makeIdle(key) }
    }

    // MARK: Events

    mutating func note(_ event: InstrumentEvent, longestWait: Duration) {
      guard let effect = event.effect else { return }
      let key = effect.attempt.map { Key(store: event.store.number, effect: $0.effect) }
      endIdle(of: event.store, except: key)
      switch event.kind {
      case .attempted: if let key { goOn(key) }
      case .begun: if let key { goOn(key, effects: 1) }
      case .settled(let outcome): if let key { effectEnded(key, outcome) }
      case .backedOff(_, _, let delay): if let key { backOff(key, isLong: delay > longestWait) }
      case .waited(.backOff, .cancelled):
        if let key {
          suspended[key] = nil
          makeIdle(key)
        }
      // The error has left the retry.
      case .failed: makeIdle(Key(store: event.store.number, effect: effect.id))
      default: break
      }
    }

    mutating func endAll() { for key in steps.keys { end(key) } }

    private mutating func goOn(_ key: Key, effects: Int = 0) {
      idle.remove(key)
      steps[key, default: Step()].state = .working
      steps[key]?.effects += effects
    }

    private mutating func effectEnded(_ key: Key, _ outcome: EffectOutcome) {
      steps[key]?.effects -= 1
      if case .failed = outcome {
        steps[key]?.state = .undecided
      } else if let step = steps[key], step.effects <= 0, step.state == .working {
        makeIdle(key)
      }
    }

    private mutating func backOff(_ key: Key, isLong: Bool) {
      steps[key]?.state = .backingOff
      guard isLong else { return }
      steps[key]?.isSuspended = true
      if steps[key]?.operations == 0 { end(key) }
    }

    private mutating func makeIdle(_ key: Key) {
      guard steps[key] != nil else { return }
      steps[key]?.state = .idle
      idle.insert(key)
    }

    private mutating func endIdle(of store: StoreIdentity, except key: Key?) {
      guard !idle.isEmpty else { return }
      for other in idle where other != key && other.store == store.number && steps[other]?.operations == 0 {
        end(other)
      }
    }

    private mutating func end(_ key: Key) {
      idle.remove(key)
      guard let step = steps.removeValue(forKey: key), let span = step.span else { return }
      span.end(at: step.end)
      if step.isSuspended { suspended[key] = span.context }
    }
  }
#endif
