import Testing

@testable import AsyncStore

/// Generated orders, whose members take one from other stores each, and are undone by giving it back.
///
/// The other stores have what the finished orders have taken, whatever cancels an order, and wherever that meets it.
@Suite("Members of a sequence that other stores interpret are undone as if they were interpreted here")
struct LiftedMembersTests {
  typealias Effect = JournalStore.Effect

  @Test("Orders that have failed or been cancelled leave nothing behind")
  func law25_nothingIsLeftBehind() {
    for seed in TestSize.seed.map({ $0...$0 }) ?? 0...UInt64(TestSize.cases / 8) {
      TestSize.note(seed)
      var orders = Orders(seed: seed)
      orders.run()
      #expect(orders.taken == orders.expected && orders.remains == [], "seed \(seed)")
    }
  }
}

/// The orders of one seed, and the stores that they take from.
private struct Orders {
  typealias Effect = JournalStore.Effect

  private let harness = Harness()
  private let store: JournalStore
  private let others: [JournalStore]
  private var generator: SplitMix64
  private var nameCount = 0
  private var memberCounts: [Int] = []

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    store = harness.store()
    others = [harness.store(), harness.store(), harness.store()]
  }

  /// The number of members that the other stores are still without.
  var taken: Int { others.reduce(0) { $0 + $1.count } }
  var expected: Int { store.log.reduce(0) { $0 + memberCounts[Int($1)!] } }
  var remains: [String] { store.remains + others.flatMap(\.remains) }

  mutating func run() {
    let count = 1 + below(4)
    for other in others.indices { watch(other, count) }
    for number in 0..<count {
      receive(number)
      if below(3) == 0 { harness.advance(by: .milliseconds(below(4))) }
    }
    for _ in 0..<below(4) {
      harness.advance(by: .milliseconds(below(4)))
      store.receive(.cancel("order \(below(count))"))
    }
    harness.advance(by: .seconds(1))
    store.receive(.cancel(prefix: "watch"))
  }

  /// Has changes of another store cancel orders, also those that have led to the change.
  private mutating func watch(_ index: Int, _ count: Int) {
    let cancelled = (0..<6).map { _ in below(2) == 0 ? below(count) : nil }
    store.bind(id: EffectID("watch").appending(index), to: others[index], on: \.count) { count in
      guard cancelled.indices.contains(count), let number = cancelled[count] else { return .none }
      return .cancel("order \(number)")
    }
  }

  private mutating func receive(_ number: Int) {
    let members = (0..<(1 + below(3))).map { _ in member() }
    let end: Effect = [.none, .sleep(.milliseconds(below(5))), .fail("x")][below(3)]
    let order = Effect.sequence(effects: members.map(\.effect) + [end, .log(number)]).id("order \(number)")
    memberCounts.append(members.reduce(0) { $0 + $1.count })
    store.receive(below(4) == 0 ? .concatenate(.task { .none }, order) : order)
  }

  /// Returns a member that takes one or two, each of which is undone for itself.
  private mutating func member() -> (effect: Effect, count: Int) {
    let first = taking()
    return switch below(8) {
    case 0: (.concatenate(first, taking()), 2)
    case 1: (.concatenate(first, .sleep(.milliseconds(below(3)))), 1)
    case 2: (Effect.concatenate(first, .sleep(.milliseconds(below(3))), taking()).compensate(with: .none), 2)
    case 3: (Effect.sequence(first, taking()).compensate(with: .none.label("part")), 2)
    case 4: (.merge(first, taking()), 2)
    default: (first, 1)
    }
  }

  private mutating func taking() -> Effect {
    let other = others[below(others.count)]
    var body = Effect.set { $0.count += 1 }
    if below(3) == 0 {
      let taking = body
      body = .task { taking }
    }
    if below(3) == 0 { body = .concatenate(.sleep(.milliseconds(below(3))), body) }
    body = wrapped(.lift(wrapped(body), to: other))
    while below(3) == 0 { body = wrapped(.lift(body, to: others[below(others.count)])) }
    // Only here: a race in another store that has been won, and waits for a loser in a third one, has not completed.
    if below(6) == 0 { body = .race(.lift(.sleep(.seconds(60)), to: others[below(others.count)]), body) }
    let giving = Effect.lift(.set { $0.count -= 1 }, to: other)
    return body.compensate(with: below(2) == 0 ? giving : .task { giving })
  }

  private mutating func wrapped(_ effect: Effect) -> Effect {
    nameCount += 1
    return switch below(12) {
    case 0: effect.id("part \(nameCount)")
    case 1: effect.label("part")
    case 2: effect.timeout(.seconds(60))
    case 3: .merge(effect, .none)
    case 4: effect.retry(.constant(.zero))
    case 5: effect.recover { _ in .none }
    case 6: .sequence(effect)
    case 7: .race(effect, .sleep(.seconds(60)))
    case 8: effect.finally(.set { $0.other += 1 })
    case 9: .sequence(effect.compensate(with: .none))
    default: effect
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }
}
