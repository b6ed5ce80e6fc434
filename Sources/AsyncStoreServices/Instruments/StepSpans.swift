#if Services
  import AsyncStore
  import Tracing

  /// The spans of steps, each of which is the parent of a retry's attempts.
  ///
  /// Operations call from their tasks; events come later, from the thread that delivers them. All operations of a retry
  /// have returned when its attempts end.
  struct StepSpans {
    struct Key: Hashable {
      let store: UInt64
      /// The number of the retry, because the retries of one effect may follow each other, and the end of one comes
      /// late.
      let retry: UInt64
    }

    /// A step that is over, whose span is to be ended.
    struct Ended {
      let span: any Span
      let end: DefaultTracerClock.Instant

      func finish() { span.end(at: end) }
    }

    private struct Step {
      let span: any Span
      /// The operations that are running.
      var operations = 0
      /// The end of the last operation.
      var end = DefaultTracerClock.now

      /// - Parameter earlier: the context of the step that this one continues, if there is one.
      mutating func operationBegins(after earlier: ServiceContext?) -> ServiceContext {
        if let earlier { span.addLink(SpanLink(context: earlier, attributes: [:])) }
        operations += 1
        return span.context
      }

      mutating func operationEnded() {
        operations -= 1
        end = DefaultTracerClock.now
      }
    }

    private var steps: [Key: Step] = [:]
    /// The contexts of steps that a long wait has ended, for the links of the steps that follow.
    private var suspended: [Key: ServiceContext] = [:]

    /// Records that an operation of a step begins.
    ///
    /// - Returns: the context of the step, whose span is started if there is none.
    mutating func operationBegins(_ key: Key, start: () -> any Span) -> ServiceContext {
      let earlier = suspended.isEmpty ? nil : suspended.removeValue(forKey: key)
      return steps[key, default: Step(span: start())].operationBegins(after: earlier)
    }

    mutating func operationEnded(_ key: Key) { steps[key]?.operationEnded() }

    /// - Returns: the step that the event ends, if it ends one.
    mutating func note(_ event: InstrumentEvent, longestWait: Duration) -> Ended? {
      guard let attempt = event.effect?.attempt else { return nil }
      let key = Key(store: event.store.number, retry: attempt.retry)
      switch event.kind {
      case .backedOff(_, _, let delay) where delay > longestWait:
        // If the event has come so late that the next attempt has begun, both are one step.
        guard steps[key]?.operations == 0, let ended = remove(key) else { return nil }
        suspended[key] = ended.span.context
        return ended
      case .attemptsEnded:
        if !suspended.isEmpty { suspended[key] = nil }
        return remove(key)
      default: return nil
      }
    }

    /// Removes all steps, and returns them.
    mutating func removeAll() -> [Ended] { steps.keys.compactMap { remove($0) } }

    private mutating func remove(_ key: Key) -> Ended? {
      steps.removeValue(forKey: key).map { Ended(span: $0.span, end: $0.end) }
    }
  }
#endif
