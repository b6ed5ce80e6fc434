#if Testing
  import AsyncStore

  extension TestStoreLog.Content {
    /// The events that have to be asserted and have not been.
    var required: [RecordedEvent] { unassertedEvents.filter(\.kind.mustBeAsserted) }

    /// A report of the events that have not been asserted, for people.
    var unassertedReport: String {
      let events = unassertedEvents
      if events.isEmpty { return "Nothing has happened that was not asserted." }
      return "What has happened and was not asserted:\n" + events.map { "  \($0)" }.joined(separator: "\n")
    }

    /// Returns the identifiers of effects with an unasserted event of this kind.
    func identifiers(of kind: ExpectedEvent.Kind) -> [EffectID] {
      unassertedEvents.filter { $0.kind == kind }.flatMap { $0.record?.identifiers ?? [] }
    }

    /// Returns the maximum number of effects that were in flight at once.
    func mostAtOnce(_ pattern: EffectPattern) -> Int {
      var (count, most) = (0, 0)
      for event in events {
        guard let record = event.record, pattern.matches(record) else { continue }
        switch event.kind {
        case .begun: count += 1
        case .settled: count -= 1
        default: break
        }
        most = max(most, count)
      }
      return most
    }
  }

  extension InFlight {
    typealias Node = (effect: InFlightEffect, ancestors: [InFlightEffect])

    /// The effects, each with itself and the effects around it.
    var withAncestors: [Node] {
      var path: [InFlightEffect] = []
      return map { effect in
        path.removeLast(path.count - Swift.min(effect.depth, path.count))
        path.append(effect)
        return (effect, path)
      }
    }

    /// The effects with no other effect inside.
    var innermost: [Node] {
      let parents = Set(compactMap(\.parent))
      return withAncestors.filter { !parents.contains($0.effect.id) }
    }
  }
#endif
