import Testing

@testable import AsyncStore

@Suite("Laws 13, 14 and 24: time")
struct TimeLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 13

  @Test("A sleep ends at its deadline and not a nanosecond earlier")
  func law13_neverEarly() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.milliseconds(10)), .log("done")))
    harness.advance(by: .nanoseconds(9_999_999))
    #expect(store.log == [])
    harness.advance(by: .nanoseconds(1))
    #expect(store.log == ["done"])
  }

  @Test("Fractions of a nanosecond are rounded up")
  func law13_roundedUp() {
    let store = harness.store()
    store.receive(
      .concatenate(.sleep(Duration(secondsComponent: 0, attosecondsComponent: 1_000_000_001)), .log("done")))
    harness.advance(by: .nanoseconds(1))
    #expect(store.log == [])
    harness.advance(by: .nanoseconds(1))
    #expect(store.log == ["done"])
  }

  @Test("Sleeps in a row add up exactly, however late the alarm is")
  func law13_sleepsAddUp() {
    let store = harness.store()
    let began = harness.clock.now
    let times = Note<[Duration]>([])
    store.receive(
      .concatenate(
        .sleep(.milliseconds(10)), .sleep(.milliseconds(20)), .sleep(0.03),
        .read { [clock = harness.clock] _ in
          times.change { $0.append(began.duration(to: clock.now)) }
          return .none
        }))
    harness.advance(by: .milliseconds(59))
    #expect(times.value == [])
    harness.advance(by: .milliseconds(1))
    #expect(times.value == [.milliseconds(60)])

    // Late: the next sleep still begins at the deadline of the one before.
    store.receive(
      .concatenate(.sleep(.seconds(1)), .log("1"), .sleep(.seconds(1)), .log("2"), .sleep(.seconds(1)), .log("3")))
    harness.jump(by: .milliseconds(2_500))
    #expect(store.log == ["1", "2"])
    harness.advance(by: .milliseconds(500))
    #expect(store.log == ["1", "2", "3"])
  }

  @Test("An error that a deadline releases is handled at that deadline, however late the alarm is")
  func law13_handlerAtDeadline() {
    let store = harness.store(mapError: { _ in .concatenate(.sleep(.seconds(1)), .log("handled")) })
    // The error goes on when the compensation has ended.
    store.receive(.sequence(.log("done").compensate(with: .sleep(.seconds(1))), .task { throw Failure("failed") }))
    store.receive(.concatenate(.sleep(.milliseconds(1_500)), .log("between")))
    harness.settle()
    harness.jump(by: .seconds(2))
    #expect(store.log == ["done", "between", "handled"])
  }

  @Test("A condition that a deadline leads to is asked before later deadlines, and the delay begins at that deadline")
  func law13_conditionAtDeadline() {
    let store = harness.store()
    let events = Note<[String]>([])
    // The attempt has failed when its cleanup has ended.
    let attempt = Effect.task {
      events.change { $0.append("attempt") }
      throw Failure("failed")
    }
    store.receive(
      attempt.finally(.sleep(.seconds(1))).retry(.constant(.seconds(1)).limitedTo(attempts: 2)) { _ in
        events.change { $0.append("condition") }
        return true
      })
    store.receive(.concatenate(.sleep(.milliseconds(1_500)), .set { _ in events.change { $0.append("between") } }))
    harness.settle()
    harness.jump(by: .seconds(2))
    #expect(events.value == ["attempt", "condition", "between", "attempt"])
  }

  @Test("Equal deadlines fire in the order they were registered")
  func law13_equalDeadlinesInOrder() {
    let store = harness.store()
    for index in 0..<20 { store.receive(.concatenate(.sleep(.seconds(1)), .log(index))) }
    // These effects reach the same moment differently.
    harness.advance(by: .milliseconds(500))
    for index in 20..<40 { store.receive(.concatenate(.sleep(.milliseconds(500)), .log(index))) }
    harness.advance(by: .milliseconds(500))
    #expect(store.log == (0..<40).map(\.description))
  }

  @Test("Different deadlines fire in their order, also when the alarm is late")
  func law13_deadlinesInOrder() {
    let store = harness.store()
    var generator = SplitMix64(seed: 7)
    for delay in (1...200).shuffled(using: &generator) {
      store.receive(.concatenate(.sleep(.milliseconds(delay)), .log(delay)))
    }
    harness.jump(by: .milliseconds(100))
    #expect(store.log == (1...100).map(\.description))
    harness.advance(by: .milliseconds(100))
    #expect(store.log == (1...200).map(\.description))
    #expect(store.remains == [])
  }

  @Test("A store sets one alarm, for the earliest deadline, and takes it back when nobody waits")
  func law13_oneAlarm() {
    let store = harness.store()
    for index in 1...50 { store.receive(.sleep(.seconds(100 - index)).id(index)) }
    harness.settle()
    #expect(harness.sleeperCount == 1)
    #expect(harness.earliestDeadline?.offset == .seconds(50))
    store.receive(.cancelAll())
    harness.settle()
    #expect(harness.sleeperCount == 0)
    #expect(store.remains == [])
  }

  @Test("Sleeps of zero and below are none", arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
  func law13_zeroSleep(duration: Duration) {
    let store = harness.store()
    store.receive(.concatenate(.sleep(duration), .log("done")))
    #expect(store.log == ["done"])
  }

  @Test("A sleep beyond the end of time waits")
  func law13_longSleep() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(Int64.max)), .log("never")))
    store.receive(.concatenate(.sleep(Double.greatestFiniteMagnitude), .log("never")))
    harness.advance(by: .seconds(1_000_000_000))
    #expect(store.log == [])
    #expect(store.inFlight.count == 2)
  }

  // MARK: Law 14

  @Test("Tick k is due at start plus k intervals, whatever handlers cost")
  func law14_timersDontDrift() {
    let store = harness.store()
    let ticks = Note<[String]>([])
    harness.advance(by: .milliseconds(123))
    let start = harness.clock.now
    store.receive(
      .timer(.milliseconds(100), id: "t") { [harness] tick in
        let passed = start.duration(to: harness.clock.now)
        ticks.change { $0.append("\(tick.index) \(passed) \(tick.elapsed) \(tick.missed)") }
        // The handler takes 30 ms of the clock's time.
        harness.spend(.milliseconds(30))
        return .none
      })
    harness.advance(by: .seconds(1))
    #expect(
      ticks.value == (1...10).map { "\($0) \(Duration.milliseconds(100 * $0)) \(Duration.milliseconds(100 * $0)) 0" })
  }

  @Test("Overdue ticks coalesce into one, and the grid is kept")
  func law14_overdueTicksCoalesce() {
    let store = harness.store()
    store.receive(.timer(.seconds(1), id: "t") { .log("\($0.index) missed \($0.missed)") })
    harness.advance(by: .seconds(1))
    harness.jump(by: .milliseconds(3_500))
    #expect(store.log == ["1 missed 0", "4 missed 2"])
    harness.advance(by: .milliseconds(499))
    #expect(store.log.count == 2)
    harness.advance(by: .milliseconds(1))
    #expect(store.log == ["1 missed 0", "4 missed 2", "5 missed 0"])
  }

  @Test("Slow effects of one tick do not delay the next")
  func law14_slowEffectsDontDelay() {
    let store = harness.store()
    store.receive(.timer(.seconds(1), id: "t") { .concatenate(.sleep(.milliseconds(2_500)), .log($0.index)) })
    harness.advance(by: .milliseconds(5_500))
    #expect(store.log == ["1", "2", "3"])
  }

  @Test("A timer of ten seconds ticks 8,640 times in a day of the store's clock")
  func law14_aDay() {
    let store = harness.store()
    store.receive(.timer(.seconds(10), id: "t") { _ in .set { $0.count += 1 } })
    harness.advance(by: .seconds(86_400))
    #expect(store.count == 8_640)
  }

  @Test("A timer under the same identifier replaces the old one, and begins a new grid")
  func law14_timerIsReplaced() {
    let store = harness.store()
    store.receive(.timer(1.0, id: "t") { _ in .log("old") })
    harness.advance(by: .milliseconds(1_500))
    store.receive(.timer(.seconds(1), id: "t") { _ in .log("new") })
    harness.advance(by: .milliseconds(999))
    #expect(store.log == ["old"])
    harness.advance(by: .milliseconds(1))
    #expect(store.log == ["old", "new"])
  }

  @Test("Ticks and sleeps of the same moment come in the order they were registered")
  func law14_ticksAndSleepsInOrder() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .log("a")))
    store.receive(.timer(.seconds(1), id: "t") { _ in .log("tick") })
    store.receive(.concatenate(.sleep(.seconds(1)), .log("b")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["a", "tick", "b"])
  }

  @Test("A timer survives a clock that jumps to the end of time")
  func endOfTime() async {
    await #expect(processExitsWith: .success) {
      let harness = Harness()
      let store = harness.store()
      store.receive(.timer(.seconds(1), id: "t") { tick in .set(\.count, to: tick.index) })
      harness.jump(by: .seconds(10_000_000_000))
    }
  }

  @Test("With mapError too, what follows from a deadline comes before a later deadline")
  func law13_mappedErrorsComeBeforeLaterDeadlines() {
    let store = harness.store(mapError: { _ in .log("mapped") })
    store.receive(.concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed)))
    store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
    store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
    harness.jump(by: .seconds(3))
    #expect(store.log == ["mapped", "two"])
  }

  @Test("An effect after a lift begins when the store learns of the lift's end, however late the other alarm is")
  func law13_afterALift() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(.concatenate(.lift(.sleep(.seconds(1)), to: other), .sleep(.seconds(1)), .log("x")))
    harness.jump(by: .milliseconds(2_500))
    #expect(store.log == [], "the other store's alarm was late, and this one heard of it then")
    harness.advance(by: .seconds(1))
    #expect(store.log == ["x"])
  }

  @Test("An operation that returns before a late alarm is in time")
  func law13_operationBeforeLateAlarm() {
    let store = harness.store()
    store.receive(
      .task { [harness] in
        harness.spend(.seconds(2))
        return .log("in time")
      }.timeout(.seconds(1), else: .log("late")))
    harness.settle()
    #expect(store.log == ["in time"])
  }

  @Test("Tracing changes no trace, also where a sequence of changes is so long that it may continue in a task")
  func law24_tracedSequence() {
    func log(_ instrument: Recorder?) -> [String] {
      let store = harness.store(instrument: instrument)
      let count = InlineWorkLimit.items / 2
      store.receive(.concatenate(.sleep(.seconds(1)), .sequence(effects: (0..<count).map { .log($0) })))
      store.receive(.concatenate(.sleep(.seconds(1)), .log("next")))
      harness.advance(by: .seconds(1))
      return store.log
    }
    let plain = log(nil)
    #expect(plain.last == "next" && plain.count > 1_000)
    let recorder = Recorder()
    #expect(log(recorder) == plain)
    #expect(recorder.events.count { if case .committed = $0.kind { true } else { false } } == plain.count)
  }

  @Test("Tracing changes no trace, with errors and late deadlines")
  func law24_tracingChangesNoTrace() {
    func log(_ instrument: (any StoreInstrument)?) -> [String] {
      let harness = Harness()
      let store = harness.store(instrument: instrument)
      store.receive(
        .concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed), .log("after race")))
      store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
      store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
      harness.jump(by: .seconds(3))
      return store.log
    }
    #expect(log(nil) == log(Recorder()))
  }
}
