#if Testing
  import AsyncStore
  import Synchronization

  /// A log of what a store did, and of what was asserted.
  final class TestStoreLog<State: Equatable & Sendable>: StoreInstrument, CommitListener {
    struct Commit: Sendable {
      let state: State
      let moment: TestClock.Instant
    }

    struct Content: Sendable {
      /// The last asserted state.
      var asserted: State
      /// The commits since then that changed something.
      var commits: [Commit] = []
      var events: [RecordedEvent] = []

      var latest: State { commits.last?.state ?? asserted }
    }

    private let clock: TestClock
    private let content: Mutex<Content>

    init(_ state: State, clock: TestClock) {
      self.clock = clock
      content = Mutex(Content(asserted: state))
    }

    func withContent<Result>(_ body: (inout Content) -> sending Result) -> sending Result {
      content.withLock { body(&$0) }
    }

    func committed(_ state: State) -> Bool {
      let moment = clock.now
      content.withLock { content in
        if content.latest != state { content.commits.append(Commit(state: state, moment: moment)) }
      }
      return false
    }

    func committedSilently(_ state: State) -> Bool { committed(state) }

    func deliver() {}

    func record(_ event: InstrumentEvent) {
      let events = RecordedEvent.all(of: event, at: clock.now)
      if !events.isEmpty { content.withLock { $0.events += events } }
    }
  }
#endif
