import Foundation
import Testing

@testable import AsyncStore

/// Tests of bindings that trigger each other, and of those that only seem to.
@Suite("Law 17: cycles of bindings")
struct BindingCycleLawTests {
  let harness = Harness()

  @Test("A cycle stops when the values do")
  func law17_convergingCycle() {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store())
    two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0) }
    one.bind(id: "down", to: two, on: \.count) { .set(\.count, to: min($0 + 1, 500)) }
    #expect(one.count == 500)
    #expect(two.count == 500)
    two.receive(.set(\.count, to: 7))
    #expect(one.count == 500)
    #expect(two.count == 500)
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  struct PoorlyHashed: Hashable, Sendable, CustomStringConvertible {
    let description: String
    func hash(into hasher: inout Hasher) {}
  }

  @Test("Each cycle that never settles is reported, also if the hashes of their ids are the same")
  func law17_cyclesWithEqualHashes() {
    let recorder = Recorder()
    let one = harness.store(instrument: recorder)
    for round in 1...2 {
      let two = harness.store(instrument: recorder)
      let stop = Note(false)
      two.bind(id: PoorlyHashed(description: "up \(round)"), to: one, on: \.count) {
        stop.value ? .none : .set(\.count, to: $0 + 1)
      }
      one.bind(id: PoorlyHashed(description: "down \(round)"), to: two, on: \.count) {
        stop.value ? .none : .set(\.count, to: $0 + 1)
      }
      stop.value = true
      one.receive(.cancelAll())
      two.deactivate()
      harness.settle()
    }
    let reports = recorder.lines.filter { $0.hasPrefix("unsettled") }
    // Both stores of a cycle may report it.
    #expect(Set(reports) == ["unsettled down 1, up 1", "unsettled down 2, up 2"])
    one.deactivate()
  }

  @Test("A cycle that never settles is reported with the ids of its bindings, and the caller gets on")
  func law17_unsettledCycleIsReported() {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let stop = Note(false)
    let bystander = harness.store()
    bystander.bind(id: "bystander", to: one, on: \.count) { _ in .none }
    two.bind(id: "up", to: one, on: \.count) { stop.value ? .none : .set(\.count, to: $0 + 1) }
    one.bind(id: "down", to: two, on: \.count) { stop.value ? .none : .set(\.count, to: $0 + 1) }
    #expect(recorder.lines.contains("unsettled down, up"))
    // The process stays responsive, the two stores included.
    bystander.receive(.log("responsive"))
    #expect(bystander.log == ["responsive"])
    one.receive(.log("responsive"))
    #expect(one.log == ["responsive"])
    stop.value = true
    one.deactivate()
    two.deactivate()
  }

  /// An instrument that records cycles only.
  struct Reports: StoreInstrument {
    let events: EventKinds = .unsettledBindings
    let lines = Note<[String]>([])

    func record(_ event: InstrumentEvent) { lines.change { $0.append(event.words) } }
  }

  enum Branching: CaseIterable { case list, twoBindings, twoStores, ring }

  /// Two stores on different actors, the first on this one.
  private func stores(on left: Desk, _ reports: Reports) -> (JournalStore, JournalStore) {
    (harness.store(isolation: left, instrument: reports), harness.store(isolation: Desk(), instrument: reports))
  }

  @Test("A cycle between two or three actors is reported too, once, and they get on", arguments: [2, 3])
  func law17_cycleOfActors(count: Int) {
    let desks = (0..<count).map { _ in Desk() }
    let reports = Reports()
    let stores = desks.map { harness.store(isolation: $0, instrument: reports) }
    let (bystander, stop) = (harness.store(isolation: desks[0]), Note(false))
    bystander.bind(id: "bystander", to: stores[0], on: \.count) { _ in .none }
    for index in stores.indices {
      let next = stores[(index + 1) % count]
      next.bind(id: "b\(index)", to: stores[index], on: \.count) { value in
        // Long after the cycle has been reported.
        stop.value || value > 4_000 ? .none : .set(\.count, to: value + 1)
      }
    }
    harness.settle()
    #expect(stores[0].count > 3_900)
    let names = (0..<count).map { "b\($0)" }.joined(separator: ", ")
    #expect(Set(reports.lines.value) == ["unsettled \(names)"])
    // Each of its stores may report it, once.
    #expect(reports.lines.value.count <= count)
    for store in stores {
      store.receive(.log("responsive"))
      harness.settle()
      #expect(store.log == ["responsive"])
      store.deactivate()
    }
    harness.settle()
    for store in stores { #expect(store.remains == []) }
  }

  @Test("A cycle between two actors that comes to rest each time is not reported, whatever has waited with its values")
  func law17_settlingCycleOfActors() {
    let reports = Reports()
    let (one, two) = stores(on: Desk(), reports)
    two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0) }
    one.bind(id: "down", to: two, on: \.count) { .set(\.count, to: $0.isMultiple(of: 50) ? $0 : $0 + 1) }
    // The first values have arrived, or else they would go round beside the next ones.
    harness.settle()
    for round in 0..<50 {
      one.receive(.set(\.count, to: round * 50 + 1))
      two.receive(.log("\(round)"))
      harness.settle()
      #expect(one.count == (round + 1) * 50)
    }
    #expect(two.log.count == 50)
    #expect(reports.lines.value == [])
    one.deactivate()
    two.deactivate()
    harness.settle()
    #expect(one.remains == [] && two.remains == [])
  }

  @Test("A cycle between two actors is reported although its turns are taken in the middle of other deliveries")
  func law17_turnsInOtherDeliveries() {
    let (left, reports) = (Desk(), Reports())
    let (one, two) = stores(on: left, reports)
    let neighbour = harness.store(isolation: left)
    two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0 == 0 ? 0 : $0 + 1) }
    one.bind(id: "down", to: two, on: \.count) { $0 > 2_600 ? .none : .set(\.count, to: $0 == 0 ? 0 : $0 + 1) }
    one.bind(id: "tick", to: neighbour, on: \.count) { .set(\.other, to: $0) }
    harness.settle()
    one.receive(.set(\.count, to: 1))
    while one.count < 2_500 {
      harness.step()
      if one.runtime.lock({ $0.machine.turns.oldest?.followsDelivery }) == true {
        // The neighbour's value comes to the store, whose line goes first.
        Runtime.on(left) { _ = neighbour.receive(.set { $0.count += 1 }) }
      }
    }
    #expect(neighbour.count > 600)
    harness.settle()
    #expect(Set(reports.lines.value) == ["unsettled down, up"])
  }

  @Test("Effects that others send while a store on an actor delivers do not follow from what it delivers")
  func law17_independentSender() {
    let desk = Desk()
    let reports = Reports()
    let store = harness.store(isolation: desk, instrument: reports)
    store.bind(id: "self", to: \.count) { count in
      if 1..<2_500 ~= count {
        let isSent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          store.receive(.set(\.count, to: count + 1))
          isSent.signal()
        }
        isSent.wait()
      }
      return .set(\.other, to: count)
    }
    harness.settle()
    Runtime.on(desk) { _ = store.receive(.set(\.count, to: 1)) }
    harness.settle()
    #expect(store.count == 2_500 && store.other == 2_500)
    #expect(reports.lines.value == [])
    store.deactivate()
  }

  @Test("A value passes a long chain of stores on two actors, which is no cycle")
  func law17_chainOfActors() {
    let (desks, reports) = ([Desk(), Desk()], Reports())
    let stores = (0..<1_000).map { harness.store(isolation: desks[$0 % 2], instrument: reports) }
    for index in 1..<stores.count {
      stores[index].bind(id: "b", to: stores[index - 1], on: \.count) { .set(\.count, to: $0) }
    }
    harness.settle()
    stores[0].receive(.set(\.count, to: 1))
    harness.settle()
    #expect(stores[stores.count - 1].count == 1)
    #expect(reports.lines.value == [])
  }

  @Test("A commit that has waited for its turn behind a binding's value does not follow from it")
  func law17_commitsBehindValues() {
    let reports = Reports()
    let (one, two) = stores(on: Desk(), reports)
    two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0) }
    one.bind(id: "down", to: two, on: \.count) { .set(\.other, to: $0) }
    harness.settle()
    one.receive(.set(\.count, to: 1))
    var last: FiberID?
    for round in 2...2_500 {
      // The value of the round before comes into the line, and this one behind it.
      while true {
        if let turn = one.runtime.lock({ $0.machine.turns.oldest }), turn.followsDelivery, turn.fiber != last {
          last = turn.fiber
          break
        }
        harness.step()
      }
      one.receive(.set(\.count, to: round))
    }
    harness.settle()
    #expect(one.other == 2_500)
    #expect(reports.lines.value == [])
  }

  @Test("A cycle whose rounds each lead to two more is reported, and the caller gets on", arguments: Branching.allCases)
  func law17_branchingCycle(branching: Branching) {
    let reports = Reports()
    let (one, two) = (harness.store(instrument: reports), harness.store(instrument: reports))
    let others = [harness.store(instrument: reports), harness.store(instrument: reports)]
    let (stop, bystander) = (Note(false), harness.store())
    bystander.bind(id: "bystander", to: one, on: \.count) { _ in .none }
    let next: @Sendable (Int) -> JournalStore.Effect = { stop.value || $0 == 0 ? .none : .set { $0.count += 1 } }
    switch branching {
    case .list: one.bind(id: "a", to: one, on: \.count) { .concatenate(next($0), next($0)) }
    case .twoBindings:
      for id in ["a", "b"] { one.bind(id: id, to: one, on: \.count) { next($0) } }
    case .twoStores:
      for id in ["a", "b"] { two.bind(id: id, to: one, on: \.count) { next($0) } }
      one.bind(id: "c", to: two, on: \.count) { next($0) }
    case .ring:
      let ring = [one, two] + others + [one]
      for (index, (up, down)) in zip(ring, ring.dropFirst()).enumerated() {
        for id in ["a", "b"] { down.bind(id: "\(id)\(index)", to: up, on: \.count) { next($0) } }
      }
    }
    one.receive(.set(\.count, to: 1))
    let ids =
      switch branching {
      case .list: "a"
      case .twoBindings: "a, b"
      case .twoStores: "a, b, c"
      case .ring: "a0, a1, a2, a3, b0, b1, b2, b3"
      }
    // The report waits behind the values that have been queued by now.
    stop.value = true
    harness.settle()
    #expect(reports.lines.value == ["unsettled \(ids)"])
    for store in [one, two] + others { store.deactivate() }
  }

  @Test("Very many deliveries that lead round in no cycle are all made before the call returns")
  func law17_manyDeliveries() {
    let recorder = Recorder()
    let (one, two, three) = (harness.store(instrument: recorder), harness.store(), harness.store())
    let increment = JournalStore.Effect.set { $0.count += 1 }
    for id in 0..<4 {
      two.bind(id: id, to: one, on: \.count) { _ in .concatenate(effects: Array(repeating: increment, count: 50)) }
    }
    for id in 0..<100 { three.bind(id: id, to: two, on: \.count) { _ in increment } }
    one.receive(.set(\.count, to: 1))
    #expect(two.count == 200 * 2 && three.count == 100 * (1 + 200))
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  @Test("Values derived in a store and in stores beside each other are no cycle, however many commits they follow")
  func law17_derivedValues() {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let rows = (0..<50).map { _ in harness.store(instrument: recorder) }
    for (index, row) in rows.enumerated() {
      row.bind(id: "down", to: one, on: \.count) { .set(\.count, to: $0) }
      one.bind(id: index, to: row, on: \.count) { count in .set { $0.other += count } }
    }
    two.bind(id: "shown", to: one, on: \.other) { .set(\.count, to: $0) }
    two.bind(id: "title", to: two, on: \.count) { .set(\.other, to: $0) }
    withExtendedLifetime(rows) { _ = one.receive(.concatenate(effects: (1...100).map { .set(\.count, to: $0) })) }
    #expect(one.other == 50 * 5_050 && two.other == one.other)
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  @Test("A cycle that comes to rest each time is not reported, however many values it is notified of in one delivery")
  func law17_settlingCycleToldOften() {
    let recorder = Recorder()
    let (up, one, two) = (harness.store(), harness.store(instrument: recorder), harness.store(instrument: recorder))
    let count = TestSize.many(5_000)
    one.bind(id: "values", to: up, on: \.count) { _ in
      .concatenate(effects: (1...count).map { .set(\.count, to: 8 * $0) })
    }
    two.bind(id: "there", to: one, on: \.count) { .set(\.count, to: $0) }
    one.bind(id: "back", to: two, on: \.count) { .set(\.other, to: $0) }
    one.bind(id: "again", to: one, on: \.other) { $0 % 8 == 7 ? .none : .set(\.count, to: $0 + 1) }
    up.receive(.set(\.count, to: 1))
    let last = 8 * count + 7
    #expect(one.count == last && one.other == last && two.count == last)
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  @Test("A value by chains of more than 1,000 lengths is notified before the call returns, and is no cycle's")
  func law17_manyLengths() {
    let reports = Reports()
    let (sum, shown) = (harness.store(instrument: reports), harness.store(instrument: reports))
    let chain = (0...1_200).map { _ in harness.store() }
    for (index, (up, down)) in zip(chain, chain.dropFirst()).enumerated() {
      down.bind(id: "next", to: up, on: \.count) { .set(\.count, to: $0) }
      sum.bind(id: index, to: up, on: \.count) { count in .set { $0.count += count } }
    }
    shown.bind(id: "shown", to: sum, on: \.count) { .set(\.count, to: $0) }
    withExtendedLifetime(chain) { _ = chain[0].receive(.set(\.count, to: 1)) }
    #expect(sum.count == 1_200 && shown.count == 1_200)
    #expect(reports.lines.value == [])
  }

  @Test("A cycle that leads back by a lift, or by a call in a mapping, is reported too", arguments: [false, true])
  func law17_cycleByLift(isCall: Bool) {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let stop = Note(false)
    two.bind(id: "up", to: one, on: \.count) { [one] count in
      if stop.value { return .none }
      if isCall { one.update { $0.count = count + 1 } }
      return isCall ? .none : .lift(.set(\.count, to: count + 1), to: one)
    }
    stop.value = true
    harness.settle()
    #expect(recorder.lines.contains("unsettled up"))
  }

  enum Wait: CaseIterable { case serial, queue, cleanup, join }
  enum Shape: CaseIterable { case twoBindings, oneOnActor, bothOnActors, oneBinding, oneBindingOnActor }

  static let cyclesOfEffectsThatWait: [(Wait, Shape)] =
    Shape.allCases.flatMap { [(.serial, $0), (.queue, $0)] }
    + [(.cleanup, .oneBinding), (.cleanup, .oneOnActor), (.join, .twoBindings), (.join, .oneBindingOnActor)]

  @Test(
    "A cycle whose effects wait for the one before is reported, and holds nobody, however much each of them does",
    arguments: cyclesOfEffectsThatWait)
  func law17_cycleOfEffectsThatWait(wait: Wait, shape: Shape) {
    let hasOneBinding = shape == .oneBinding || shape == .oneBindingOnActor
    let (last, reports) = (hasOneBinding ? 1_500 : 3_000, Reports())
    let isOnActor = shape != .twoBindings && shape != .oneBinding
    let two = harness.store(isolation: isOnActor ? Desk() : nil, instrument: reports)
    let first = harness.store(isolation: shape == .bothOnActors ? Desk() : nil, instrument: reports)
    let one = hasOneBinding ? two : first
    let (holder, other, watcher) = (harness.store(instrument: reports), harness.store(), harness.store())
    watcher.bind(id: "watch", to: other, on: \.count) { .set(\.count, to: $0) }
    @Sendable func up(_ count: Int) -> JournalStore.Effect {
      let lifts = JournalStore.Effect.concatenate(
        .lift(.set(\.count, to: count + 1), to: two), .lift(.set { $0.count += 1 }, to: other))
      return switch wait {
      case .serial: lifts
      case .queue: lifts.id("lift", .queue())
      case .cleanup: lifts.id("lift", .replaceAfterCleanup)
      case .join: .concatenate(.join("lift"), lifts.id("lift"))
      }
    }
    holder.bind(id: "up", to: one, on: \.count, strategy: wait == .serial ? .serial() : .each) { count in
      1..<last ~= count ? up(count) : .none
    }
    if !hasOneBinding { one.bind(id: "down", to: two, on: \.count) { $0 == 0 ? .none : .set(\.count, to: $0 + 1) } }
    harness.settle()
    // Not in a delivery.
    holder.receive(up(0))
    var known = two.count
    var longest = known
    var stepsAtRest = 0
    while stepsAtRest < 100 {
      harness.step()
      stepsAtRest = two.count == known ? stepsAtRest + 1 : 0
      (longest, known) = (max(longest, two.count - known), two.count)
    }
    #expect(known >= last - 1 && longest < last * 3 / 4, "\(known), at most \(longest) in one job")
    #expect(Set(reports.lines.value) == [hasOneBinding ? "unsettled up" : "unsettled down, up"])
    for store in [one, two, holder] { store.deactivate() }
    harness.settle()
    for store in [one, two, holder] { #expect(store.remains == []) }
  }

  @Test("A store that only watches a long turn is notified at once, and is not taken for part of a cycle")
  func law17_observersOfALongTurn() {
    let (reports, length) = (Reports(), TestSize.many(70_000))
    let (up, down) = (harness.store(), harness.store(isolation: Desk()))
    let (other, seen) = (harness.store(instrument: reports), harness.store())
    seen.bind(id: "seen", to: other, on: \.count) { .set(\.count, to: $0) }
    down.bind(id: "down", to: up, on: \.count) { value in
      let lift = JournalStore.Effect.lift(.set { $0.count += 1 }, to: other)
      let lifts = JournalStore.Effect.concatenate(effects: Array(repeating: lift, count: value * length))
      // The first one waits for the turn that all others are part of.
      return .concatenate(.set(\.count, to: value), lifts, .set { $0.other = seen.count })
    }
    harness.settle()
    up.receive(.set(\.count, to: 1))
    harness.settle()
    #expect(down.other == length)
    #expect(reports.lines.value == [])
  }

  @Test("A binding of a store to itself takes no memory for each round")
  func law17_roundsTakeNoMemory() {
    let store = harness.store()
    let counts = Note<[UInt]>([])
    store.bind(id: "b", to: \.count) { [runtime = store.runtime] count in
      counts.change { $0.append(_getRetainCount(runtime)) }
      return count < 900 ? .set(\.count, to: count + 1) : .none
    }
    harness.settle()
    #expect(store.count == 900)
    let (least, most) = (counts.value.min() ?? 0, counts.value.max() ?? 0)
    #expect(most - least < 10)
  }
}
