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
      /// The number of the effect that retries.
      let effect: UInt64
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

    mutating func note(_ event: InstrumentEvent, longestWait: Duration) {
      guard let effect = event.effect else { return }
      let key = Key(store: event.store.number, effect: effect.id)
      switch event.kind {
      case .backedOff(_, _, let delay) where delay > longestWait:
        // If the event has come so late that the next attempt has begun, both are one step.
        if steps[key]?.operations == 0 { suspended[key] = end(key) }
      case .attemptsEnded:
        if !suspended.isEmpty { suspended[key] = nil }
        end(key)
      default: break
      }
    }

    mutating func endAll() { for key in steps.keys { end(key) } }

    @discardableResult
    private mutating func end(_ key: Key) -> ServiceContext? {
      guard let step = steps.removeValue(forKey: key) else { return nil }
      step.span.end(at: step.end)
      return step.span.context
    }
  }
#endif
