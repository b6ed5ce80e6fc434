#if Services
  import AsyncStore
  import Synchronization
  import Tracing

  /// The spans of steps, each of which is the parent of a retry's attempts.
  ///
  /// Operations call from their tasks; events arrive later, from the thread that delivers them. All operations of a
  /// retry have returned when its attempts end.
  struct StepSpans {
    struct Key: Hashable {
      let store: UInt64
      /// The number of the retry, because the retries of one effect may follow each other, and the end of one arrives
      /// late.
      let retry: UInt64
    }

    /// The span of a step.
    ///
    /// The step has a lock of its own, because starting a span takes long, and operations of other steps would wait for
    /// it.
    final class Step: Sendable {
      private let span = Mutex<(any Span)?>(nil)

      /// The context of the span, once it has started.
      var context: ServiceContext? { span.withLock { $0?.context } }

      /// Returns the span's context, and starts the span for the first of several operations that begin together.
      ///
      /// - Parameter earlier: the context of the step that this one continues, if there is one.
      func start(after earlier: ServiceContext?, _ start: () -> any Span) -> ServiceContext {
        span.withLock { span in
          let started = span ?? start()
          if let earlier { started.addLink(SpanLink(context: earlier, attributes: [:])) }
          span = started
          return started.context
        }
      }

      func finish(at end: DefaultTracerClock.Instant) { span.withLock { $0.take() }?.end(at: end) }
    }

    /// A step that is over, whose span has to be ended.
    struct Ended {
      let step: Step
      let end: DefaultTracerClock.Instant

      func finish() { step.finish(at: end) }
    }

    private struct Entry {
      let step = Step()
      /// The number of running operations.
      var operations = 0
      /// The end of the last operation.
      var end = DefaultTracerClock.now

      mutating func operationBegins() -> Step {
        operations += 1
        return step
      }

      mutating func operationEnded() {
        operations -= 1
        end = DefaultTracerClock.now
      }
    }

    private var entries: [Key: Entry] = [:]
    /// The contexts of steps that a long wait has ended, for links from the steps that follow.
    private var suspended: [Key: ServiceContext] = [:]

    /// Records that an operation of a step begins.
    ///
    /// - Returns: the step, and the context of the step that it continues, if there is one.
    mutating func operationBegins(_ key: Key) -> (step: Step, earlier: ServiceContext?) {
      let earlier = suspended.isEmpty ? nil : suspended.removeValue(forKey: key)
      return (entries[key, default: Entry()].operationBegins(), earlier)
    }

    mutating func operationEnded(_ key: Key) { entries[key]?.operationEnded() }

    /// - Returns: the step that the event ends, if it ends one.
    mutating func note(_ event: InstrumentEvent, longestWait: Duration) -> Ended? {
      guard let attempt = event.effect?.attempt else { return nil }
      let key = Key(store: event.store.number, retry: attempt.retry)
      switch event.kind {
      case .backedOff(_, _, let delay) where delay > longestWait:
        // If the event arrives so late that the next attempt has begun, both are one step.
        guard entries[key]?.operations == 0, let ended = remove(key) else { return nil }
        suspended[key] = ended.step.context
        return ended
      case .attemptsEnded:
        if !suspended.isEmpty { suspended[key] = nil }
        return remove(key)
      default: return nil
      }
    }

    /// Removes all steps and returns them.
    mutating func removeAll() -> [Ended] { entries.keys.compactMap { remove($0) } }

    private mutating func remove(_ key: Key) -> Ended? {
      entries.removeValue(forKey: key).map { Ended(step: $0.step, end: $0.end) }
    }
  }
#endif
