import Testing

@testable import AsyncStore

@Suite("The alarm of a store")
struct AlarmTests {
  /// An alarm and its sleepers, numbered in the order of their starts.
  private struct Sleepers {
    var alarm = Alarm<Int>()
    var started: [(moment: Moment, serial: UInt64)] = []
    var cancelled: [Int] = []

    /// Sets the alarm, and notes what it asks for; each sleeper is started at once.
    mutating func set(for earliest: Int64?, staysOn: Bool = false) {
      guard let adjustment = alarm.set(for: earliest.map(Moment.init(nanoseconds:)), staysOn: staysOn) else { return }
      if let sleeper = adjustment.cancel { cancelled.append(sleeper) }
      if let new = adjustment.start {
        started.append(new)
        let isNeeded = alarm.started(started.count - 1, serial: new.serial)
        #expect(isNeeded)
      }
    }

    /// Has a sleeper ring, by its number.
    ///
    /// - Returns: whether it is the one that counts.
    mutating func ring(_ sleeper: Int) -> Bool { alarm.wokeUp(serial: started[sleeper].serial) }
  }

  @Test("An alarm gives others of its executor a turn, even if deadlines come as fast as it fires them")
  func law11_overload() {
    let (clock, executor) = (HandClock(), HandExecutor())
    let store = JournalStore(state: Journal(), env: (), clock: clock, executor: executor)
    @Sendable func loop() -> JournalStore.Effect {
      .concatenate(
        .sleep(.milliseconds(1)),
        .set {
          // As if the change took as long as the sleep.
          clock.pass(to: clock.now.offset + .milliseconds(1))
          $0.count += 1
        }, .read { $0.count < 1_000 ? loop() : .none })
    }
    store.receive(loop())
    executor.run()
    clock.pass(to: .milliseconds(1))
    clock.wake(.milliseconds(1))
    executor.run()
    #expect((1..<1_000).contains(store.count), "the alarm has given up its thread, with a deadline that is due")
    while let deadline = clock.deadlines.first {
      clock.wake(deadline)
      executor.run()
    }
    #expect(store.count == 1_000)
  }

  @Test("An alarm is set again for an earlier deadline, and left as it is for a later one")
  func setting() {
    var sleepers = Sleepers()
    sleepers.set(for: nil)
    #expect(sleepers.started.isEmpty)
    sleepers.set(for: 7)
    sleepers.set(for: 7)
    sleepers.set(for: 9)
    #expect(sleepers.started.map(\.moment.nanoseconds) == [7])
    sleepers.set(for: 3)
    #expect(sleepers.started.map(\.moment.nanoseconds) == [7, 3])
    #expect(sleepers.cancelled == [0])
    sleepers.set(for: nil)
    #expect(sleepers.cancelled == [0, 1])
    #expect(sleepers.alarm.state == .off)
  }

  @Test("Only the sleeper that counts rings the alarm, and it sleeps on for the next deadline")
  func ringing() {
    var sleepers = Sleepers()
    sleepers.set(for: 7)
    sleepers.set(for: 3)
    let rings = [sleepers.ring(0), sleepers.ring(1)]
    #expect(rings == [false, true], "the first was replaced")
    sleepers.set(for: 1)
    #expect(sleepers.started.count == 2, "the ringing one will see the new deadline")
    sleepers.alarm.fired(next: Moment(nanoseconds: 5))
    sleepers.set(for: 5)
    #expect(sleepers.started.count == 2)
    let goesOn = sleepers.ring(1)
    #expect(goesOn, "the same one slept on")
    sleepers.alarm.fired(next: nil)
    let ringsAgain = sleepers.ring(1)
    #expect(!ringsAgain)
    sleepers.set(for: nil)
    #expect(sleepers.cancelled == [0], "one that has rung for the last time ends by itself")
  }

  @Test("An alarm needs no sleeper that was replaced before it was noted")
  func lateStart() throws {
    var alarm = Alarm<Int>()
    let first = alarm.set(for: Moment(nanoseconds: 7))
    let second = alarm.set(for: Moment(nanoseconds: 3))
    #expect(second?.cancel == nil, "its task was not known")
    let serials = try [first, second].map { try #require($0?.start).serial }
    let areNeeded = serials.enumerated().map { alarm.started($0.offset, serial: $0.element) }
    #expect(areNeeded == [false, true])
    let last = alarm.set(for: nil)
    #expect(last?.cancel == 1)
  }

  @Test("An alarm may stay for the next deadline, and rings for nothing if none has come")
  func stayingOn() {
    var sleepers = Sleepers()
    sleepers.set(for: 7)
    for deadline in [nil, 8, nil, 7, nil] as [Int64?] { sleepers.set(for: deadline, staysOn: true) }
    #expect(sleepers.started.count == 1)
    #expect(sleepers.cancelled == [])
    let rings = sleepers.ring(0)
    #expect(rings)
    sleepers.alarm.fired(next: nil)
    #expect(sleepers.alarm.state == .off)
    sleepers.set(for: 9, staysOn: true)
    sleepers.set(for: nil, staysOn: true)
    sleepers.set(for: 8, staysOn: true)
    #expect(sleepers.started.map(\.moment.nanoseconds) == [7, 9, 8], "an earlier deadline needs an earlier alarm")
    sleepers.set(for: nil)
    #expect(sleepers.cancelled == [1, 2])
  }

  @Test(
    "One alarm task serves one time limit after the other, until the store is not active", arguments: [false, true])
  func oneTask(isDropped: Bool) async throws {
    var store: JournalStore? = JournalStore(state: Journal(), env: ())
    weak let runtime = store?.runtime
    let limited = JournalStore.Effect.task { .none }.timeout(.seconds(1_000), else: .none)
    await store?.run(limited)
    let alarm = try #require(runtime?.lock { $0.alarm.sleeper })
    for _ in 0..<100 { await store?.run(limited) }
    #expect(runtime?.lock { $0.alarm.sleeper } == alarm)
    #expect(!alarm.isCancelled)
    if isDropped { store = nil } else { store?.deactivate() }
    #expect(alarm.isCancelled)
    await alarm.value
    store = nil
    #expect(runtime == nil)
  }

  @Test("An alarm on another clock keeps no sleeper for what was cancelled")
  func otherClock() {
    let harness = Harness()
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).id("s"))
    harness.settle()
    #expect(store.runtime.lock { $0.alarm.state } != .off)
    store.receive(.cancel("s"))
    #expect(store.runtime.lock { $0.alarm.state } == .off)
  }

  /// A small model of a store: deadlines that come and go, and sleepers that wake up late and in any order.
  @Test(
    "An alarm rings at each deadline, with at most one sleeper that counts, in any order of events", arguments: 0..<50)
  func anyOrder(seed: UInt64) {
    let staysOn = seed.isMultiple(of: 2)
    var random = SplitMix64(seed: seed)
    var sleepers = Sleepers()
    var deadlines: [Int64] = []
    var (now, fired) = (Int64(0), 0)
    var ringing: UInt64?
    for _ in 0..<2_000 {
      switch random.next() % 6 {
      case 0, 1: deadlines.append(now + Int64(random.next() % 20))
      case 2 where !deadlines.isEmpty: deadlines.remove(at: Int(random.next() % UInt64(deadlines.count)))
      case 3: now += Int64(random.next() % 8)
      case 4:
        // Any sleeper may wake up, also one that was cancelled.
        guard ringing == nil, let woken = sleepers.started.randomElement(using: &random),
          woken.moment.nanoseconds <= now
        else { continue }
        if sleepers.alarm.wokeUp(serial: woken.serial) { ringing = woken.serial }
      default:
        guard ringing != nil else { continue }
        fired += deadlines.count { $0 <= now }
        deadlines.removeAll { $0 <= now }
        sleepers.alarm.fired(next: deadlines.min().map(Moment.init(nanoseconds:)))
        ringing = nil
      }
      sleepers.set(for: deadlines.min(), staysOn: staysOn)
      switch sleepers.alarm.state {
      case .off: #expect(deadlines.isEmpty, "no deadline is without an alarm")
      case .set(let moment): #expect(deadlines.min().map { moment.nanoseconds <= $0 } ?? staysOn)
      case .ringing: #expect(ringing != nil)
      }
    }
    #expect(fired > 10)
  }
}
