#if Testing
  import AsyncStore

  extension TestStoreLog.Content {
    /// What has happened, has not been asserted, and has to be.
    var required: [RecordedHappening] {
      happenings.filter { !$0.isAsserted && $0.kind != .settled && $0.kind != .committed }
    }

    /// What there is to assert, for people.
    var unassertedReport: String {
      let unasserted = happenings.filter { !$0.isAsserted }
      if unasserted.isEmpty { return "Nothing has happened that was not asserted." }
      return "What has happened and was not asserted:\n" + unasserted.map { "  \($0)" }.joined(separator: "\n")
    }

    /// How many operations were in flight at once at most.
    func mostAtOnce(_ pattern: EffectPattern) -> Int {
      var (count, most) = (0, 0)
      for happening in happenings {
        guard let record = happening.record, record.effect.kind == .task, pattern.matches(record) else { continue }
        switch happening.kind {
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

    /// The effects, each with itself and those that it is inside of.
    var withAncestors: [Node] {
      var path: [InFlightEffect] = []
      return map { effect in
        path.removeLast(path.count - Swift.min(effect.depth, path.count))
        path.append(effect)
        return (effect, path)
      }
    }

    /// Those that have none inside.
    var innermost: [Node] {
      let parents = Set(compactMap(\.parent))
      return withAncestors.filter { !parents.contains($0.effect.id) }
    }
  }
#endif
