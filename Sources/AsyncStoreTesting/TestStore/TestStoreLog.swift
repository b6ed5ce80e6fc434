#if Testing
  import AsyncStore
  import Synchronization

  /// A log of a store's events, and of the assertions about them.
  final class TestStoreLog<State: Equatable & Sendable>: StoreInstrument, CommitListener {
    struct Commit: Sendable {
      let state: State
      let moment: TestClock.Instant
    }

    struct Content: Sendable {
      /// The last asserted state.
      private(set) var asserted: State
      /// The later commits that changed something; `nil` once taken, so that the queue does not keep the commit.
      private var commits = GapQueue<Commit?>()
      private(set) var events: [RecordedEvent] = []
      /// The places of the unasserted events, in order.
      private var unasserted: [ExpectedEvent.Kind: SparseQueue<Int>] = [:]
      /// The ranges of places in which an expected event has nothing left to assert, so that they are searched only
      /// once.
      private var exhausted: [ExpectedEvent.Identity: Range<Int>] = [:]

      init(asserted: State) { self.asserted = asserted }
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
        if !repeats(state, content.latest) { content.append(Commit(state: state, moment: moment)) }
      }
      return false
    }

    func committedSilently(_ state: State) -> Bool { committed(state) }

    func deliver() {}

    func record(_ event: InstrumentEvent) {
      let events = RecordedEvent.all(of: event, at: clock.now)
      if !events.isEmpty { content.withLock { content in for event in events { content.append(event) } } }
    }
  }

  extension TestStoreLog.Content {
    // MARK: Commits

    var latest: State { unassertedCommits.last?.state ?? asserted }

    /// The commits that have not been asserted, in order.
    var unassertedCommits: some BidirectionalCollection<TestStoreLog.Commit> { commits.all.lazy.compactMap(\.self) }

    mutating func append(_ commit: TestStoreLog.Commit) { commits.append(commit) }

    /// Takes the first commit that has not been asserted, and makes its state the last asserted one.
    mutating func assertCommit() -> State? {
      guard let commit = commits.first, let commit else { return nil }
      commits[0] = nil
      commits.remove(at: 0)
      asserted = commit.state
      return commit.state
    }

    /// Makes the latest state the last asserted one; returns it, and the earlier states, for the caller to release.
    mutating func assertAllCommits() -> (latest: State?, earlier: [State]) {
      let earlier = [asserted] + unassertedCommits.map(\.state)
      asserted = latest
      commits = GapQueue()
      return (asserted, earlier)
    }

    // MARK: Events

    /// The events that have not been asserted, in order.
    var unassertedEvents: [RecordedEvent] { unasserted.values.flatMap(\.elements).sorted().map { events[$0] } }

    mutating func append(_ event: RecordedEvent) {
      unasserted[event.kind, default: SparseQueue()].append(events.count)
      events.append(event)
    }

    /// Returns the first expected event, from a place on, that has not been asserted.
    mutating func unasserted(_ event: ExpectedEvent, from first: Int) -> RecordedEvent? {
      offset(of: event, from: first).flatMap { unasserted[event.kind]?[$0] }.map { events[$0] }
    }

    /// Asserts the first expected event, from a place on, that has not been asserted, and returns its place.
    mutating func assert(_ event: ExpectedEvent, from first: Int) -> Int? {
      offset(of: event, from: first).flatMap { unasserted[event.kind]?.remove(at: $0) }
    }

    private mutating func offset(of event: ExpectedEvent, from first: Int) -> Int? {
      guard let slots = unasserted[event.kind]?.slots else { return nil }
      let known = exhausted[event.identity] ?? first..<first
      var index = slots.startIndex + slots.countOfFirst { $0.element < first }
      while index < slots.endIndex {
        let place = slots[index].element
        if known.contains(place) {
          index = slots.startIndex + slots.countOfFirst { $0.element < known.upperBound }
        } else if slots[index].isRemoved || !events[place].isOne(of: event) {
          index += 1
        } else {
          break
        }
      }
      let end = index < slots.endIndex ? slots[index].element : events.count
      let isConnected = first <= known.upperBound && known.lowerBound <= end
      exhausted[event.identity] = isConnected ? min(first, known.lowerBound)..<max(end, known.upperBound) : first..<end
      return index < slots.endIndex ? index - slots.startIndex : nil
    }
  }
#endif
