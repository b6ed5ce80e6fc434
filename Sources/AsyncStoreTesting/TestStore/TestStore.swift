#if Testing
  import AsyncStore
  import CustomDump
  import IssueReporting

  /// A store for tests that assert everything it does: every commit, every effect that begins, every cancel.
  ///
  /// Create one with `testStore` of a ``Simulation``. Anything that has not been asserted when the simulation ends is a
  /// failure, and so is anything that is still in flight.
  ///
  /// ```swift
  /// try await simulate { simulation in
  ///   let store = simulation.testStore(Counter(), env: service)
  ///   store.receive(
  ///     .concatenate(
  ///       .set(\.isLoading, to: true), .sleep(.milliseconds(300)).id("pause"), .set(\.isLoading, to: false)))
  ///   store.expect { $0.isLoading = true }
  ///   store.expect(.begun("pause"))
  ///   store.expectInFlight("pause")
  ///   await store.expect(.settled("pause"), after: .milliseconds(300))  // and not before
  ///   store.expect { $0.isLoading = false }
  ///   // store.isLoading == false
  /// }
  /// ```
  ///
  /// Failures are reported at the assertion, in Swift Testing and XCTest alike, with the difference between the states
  /// and the effects in flight.
  @dynamicMemberLookup
  public final class TestStore<State: Equatable & Sendable, Env: Sendable>: Sendable {
    /// The store itself, for everything except assertions.
    public let store: AsyncStore<State, Env>
    /// The setting of whether everything has to be asserted.
    public let exhaustivity: TestStoreExhaustivity
    let simulation: Simulation
    let log: TestStoreLog<State>

    init(
      _ state: State, env: Env, isolation: (any Actor)?, exhaustivity: TestStoreExhaustivity, simulation: Simulation,
      mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)?
    ) {
      self.exhaustivity = exhaustivity
      self.simulation = simulation
      log = TestStoreLog(state, clock: simulation.clock)
      store = simulation.store(state, env: env, isolation: isolation, instrument: log, mapError: mapError)
      _ = store.listen(log, isPermanent: true)
    }

    /// A property of the current state.
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
      store.state[keyPath: keyPath]
    }

    /// The current state.
    public var state: State { store.state }

    /// Interprets an effect, as the store does.
    @discardableResult
    public func receive(
      _ effect: AsyncStore<State, Env>.Effect, isolation: isolated (any Actor)? = #isolation
    ) -> EffectHandle {
      store.receive(effect, isolation: isolation)
    }

    // MARK: The state

    /// Asserts the next commit that changes the state.
    ///
    /// - Parameter change: changes the last asserted state into the expected one. For a store that is not exhaustive,
    ///   it sets the expected properties of the current state; the others are not compared.
    public func expect(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
      _ change: (inout State) throws -> Void
    ) rethrows {
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      var expected = exhaustivity == .on ? log.withContent { $0.asserted } : store.state
      try change(&expected)
      // The earlier states are released after the log's lock, because objects in them may commit to the store.
      let (actual, earlier) = log.withContent { content -> (State?, [State]) in
        let last = content.asserted
        return exhaustivity == .on ? (content.assertCommit(), [last]) : content.assertAllCommits()
      }
      defer { withExtendedLifetime(earlier) {} }
      guard let actual else {
        return fail(
          .noCommit, "Every commit so far has been asserted. This was expected:\n\(difference(state, expected))", place)
      }
      if !repeats(actual, expected) {
        fail(
          .otherCommit,
          "The commit is not the expected one (− expected, + committed):\n\(difference(expected, actual))", place)
      }
    }

    // MARK: Events

    /// Asserts events that have happened, in this order.
    ///
    /// Other events may have happened in between, and have to be asserted too.
    ///
    /// - Parameters:
    ///   - events: the events, the earliest first.
    ///   - moment: the time at which all of them happened, counted from the beginning of the simulation; by default any
    ///     time.
    public func expect(
      _ events: ExpectedEvent..., at moment: Duration? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
      expect(events, from: 0, at: moment, Place(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func expect(_ events: [ExpectedEvent], from first: Int, at moment: Duration?, _ place: Place) {
      let failure = log.withContent { content -> (fault: Fault, message: String)? in
        var start = first
        for event in events {
          guard let index = content.assert(event, from: start) else {
            let advice = event.pattern.advice(on: content.identifiers(of: event.kind))
            return (.notHappened, "This has not happened: \(event).\(advice)\n\(content.unassertedReport)")
          }
          start = index + 1
          if let moment, content.events[index].moment.offset != moment {
            return (.otherTime, "It did not happen at \(moment): \(content.events[index])")
          }
        }
        return nil
      }
      if let failure { fail(failure.fault, failure.message, place) }
    }

    /// Lets time pass, and asserts that an event happens exactly at the end of that time, and not before.
    ///
    /// An unasserted event before the call counts as too early, except for a store that is not exhaustive, and for
    /// events that need not be asserted: commits, ends, time limits and attempts.
    ///
    /// - Parameters:
    ///   - event: the event that happens then.
    ///   - duration: the time from now on, above zero; anything else traps.
    public func expect(
      _ event: ExpectedEvent, after duration: Duration, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async {
      trap(
        unless: duration > .zero,
        "At \(fileID):\(line) an event is expected after \(duration), which is not in the future. Assert what has "
          + "happened already by `expect` without a time.")
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      let first = exhaustivity == .on && event.mustBeAsserted ? 0 : log.withContent { $0.events.count }
      await simulation.clock.advance(by: duration - .nanoseconds(1))
      let early = log.withContent { $0.unasserted(event, from: first) }
      if let early { fail(.tooEarly, "It happened before \(duration) had passed: \(early)", place) }
      await simulation.clock.advance(by: .nanoseconds(1))
      if early == nil { expect([event], from: first, at: simulation.clock.now.offset, place) }
    }

    // MARK: Effects in flight

    /// Asserts the effects that are currently in flight: each of these, and nothing else.
    ///
    /// Only the innermost effects count; a pattern that matches an effect around one of them matches the inner one too.
    /// A store that is not exhaustive may have more effects in flight.
    public func expectInFlight(
      _ patterns: EffectPattern..., fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) {
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      let inFlight = store.inFlight
      var matching = PatternMatching(inFlight.innermost)
      for pattern in patterns where !matching.add(pattern) {
        let advice = pattern.advice(on: inFlight.compactMap(\.identifier))
        fail(.notInFlight, "This is not in flight: \(pattern).\(advice)", place)
      }
      let left = matching.unmatched
      if exhaustivity == .on, !left.isEmpty {
        let effects = left.map { "  \($0.effect)" }.joined(separator: "\n")
        fail(.inFlight, "This is in flight as well:\n\(effects)", place)
      }
    }

    /// Asserts the time until which an effect in flight waits.
    ///
    /// - Parameters:
    ///   - pattern: matches the effect.
    ///   - moment: the time, counted from the beginning of the simulation.
    public func expectDue(
      _ pattern: EffectPattern, at moment: Duration, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      let now = simulation.clock.now
      let deadlines = store.inFlight.withAncestors
        .filter { pattern.matches($0.effect, within: $0.ancestors) }
        .compactMap { $0.effect.remaining.map { now.advanced(by: $0).offset } }
      if !deadlines.contains(moment) {
        let words =
          deadlines.isEmpty
          ? "It waits for no moment" : "It is due at \(deadlines.map { "\($0)" }.joined(separator: ", "))"
        fail(.notDue, "\(words), and not at \(moment): \(pattern).", place)
      }
    }

    /// Asserts the maximum number of effects matching a pattern that have been in flight at once so far: operations,
    /// sleeps, timers, streams and lifts, but not effects that only contain others.
    public func expectAtMost(
      _ count: Int, inFlight pattern: EffectPattern, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      let most = log.withContent { $0.mostAtOnce(pattern) }
      if most > count {
        fail(.tooMany, "\(most) were in flight at once, and not at most \(count): \(pattern).", place)
      }
    }

    // MARK: The end

    /// Reports everything that has not been asserted; called when the simulation ends.
    func finish(_ place: Place) {
      guard exhaustivity == .on else { return }
      let (asserted, commits, events) = log.withContent { content in
        (content.asserted, Array(content.unassertedCommits), content.required)
      }
      var lines: [String] = []
      var last = asserted
      for commit in commits {
        lines.append("At \(commit.moment) this was committed and not asserted:\n\(difference(last, commit.state))")
        last = commit.state
      }
      if !events.isEmpty {
        lines.append("This has happened and was not asserted:\n" + events.map { "  \($0)" }.joined(separator: "\n"))
      }
      if !lines.isEmpty { fail(.unasserted, lines.joined(separator: "\n"), place) }
    }

    private func difference(_ old: State, _ new: State) -> String { diff(old, new) ?? "  (the same)" }

    /// The kinds of failures, by which an exploration distinguishes failures of the same assertion.
    ///
    /// The failures' messages contain values, times and schedules.
    private enum Fault: String {
      case noCommit, otherCommit, notHappened, otherTime, tooEarly, notInFlight, inFlight, notDue, tooMany, unasserted
    }

    private func fail(_ fault: Fault, _ message: String, _ place: Place) {
      var lines = [message]
      let inFlight = store.inFlight
      if !inFlight.isEmpty { lines.append("In flight:\n\(inFlight)") }
      lines.append("It is \(simulation.clock.now) since the beginning; schedule \(simulation.schedule)")
      RecordedIssue.$commentsIdentity.withValue(fault.rawValue) {
        reportIssue(
          lines.joined(separator: "\n"), fileID: place.fileID, filePath: place.filePath, line: place.line,
          column: place.column)
      }
    }
  }

  /// A setting for how much of a test store's behaviour a test has to assert.
  public enum TestStoreExhaustivity: Sendable {
    /// Everything has to be asserted.
    case on
    /// Only what is asserted counts.
    case off
  }

  /// The place of an assertion in the source.
  struct Place: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt
  }

  extension Simulation {
    /// Creates a test store: the test has to assert everything that it does.
    ///
    /// - Parameters:
    ///   - state: the initial state.
    ///   - env: the dependencies of effects.
    ///   - isolation: the actor on which changes of the state happen; by default none.
    ///   - exhaustivity: whether everything has to be asserted; by default it does.
    ///   - mapError: maps an operation's error to the effect that takes the operation's place.
    public func testStore<State: Equatable, Env>(
      _ state: State, env: Env, isolation: (any Actor)? = nil, exhaustivity: TestStoreExhaustivity = .on,
      mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestStore<State, Env> {
      let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
      let store = TestStore(
        state, env: env, isolation: isolation, exhaustivity: exhaustivity, simulation: self, mapError: mapError)
      atEnd { store.finish(place) }
      return store
    }
  }
#endif
