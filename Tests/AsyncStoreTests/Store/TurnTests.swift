import Testing

@testable import AsyncStore

/// Tests of the line of effects that wait for their turn on a store's actor, where values of bindings stand in it.
@Suite("A turn on a store's actor")
struct TurnTests {
  let harness = Harness()

  @Test("A call on the actor waits for the values that were in line, and not for those that come of them")
  func law11_valuesThatComeMeanwhile() throws {
    struct Values: Sendable {
      var latest: [String: Int] = [:]
      var isCalled = false
    }
    let (desk, last) = (Desk(), 100)
    let down = harness.store(of: Values(), env: (), isolation: desk)
    // Cycles beside each other, each of which always has a value in line.
    let ups = (0..<40).map { number in
      let (up, name) = (harness.store(), "\(number)")
      down.bind(id: name, to: up, on: \.count) { value in
        1...last ~= value ? .concatenate(.set { $0.latest[name] = value }, .sleep(.seconds(1))) : .none
      }
      up.bind(id: "up", to: down, on: \.latest[name]) { value in value.map { .set(\.count, to: $0 + 1) } ?? .none }
      return up
    }
    harness.settle()
    @Sendable func receiveElsewhere() { for up in ups { up.receive(.set(\.count, to: 1)) } }
    let latest = try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        down.receive(.set(\.isCalled, to: true))
        return down.state.isCalled ? down.state.latest : [:]
      }
    }
    #expect(latest.count == ups.count)
    #expect(latest.values.reduce(0, +) <= 4 * ups.count, "\(latest)")
    harness.settle()
    #expect(down.state.latest.values.allSatisfy { $0 == last })
    down.deactivate()
  }

  @Test("Values that find effects in line all along a chain of stores take no stack")
  func law23_turnsAlongAChain() {
    let desk = Desk()
    let stores = (0..<4_000).map { _ in harness.store(isolation: desk) }
    for index in 1..<stores.count {
      stores[index].bind(id: "b", to: stores[index - 1], on: \.count) { .set(\.count, to: $0) }
    }
    harness.settle()
    for store in stores { store.receive(.set { $0.count += 1 }) }
    // Each value comes to a store whose line goes first, and that leads to a value for the next store.
    Runtime.on(desk) { _ = stores[0].receive(.set(\.count, to: 7)) }
    harness.settle()
    #expect(stores.allSatisfy { $0.count == 7 })
  }

  /// The way from a binding's value to the store on the actor: a lift, or one inside of another.
  enum Way: CaseIterable { case lift, twoLifts, ownStore }

  @Test("A binding's values keep their order where one comes in the middle of another turn", arguments: Way.allCases)
  func law06_valueInTheTurnOfAnother(way: Way) throws {
    let desk = Desk()
    let (up, between, down) = (harness.store(), harness.store(), harness.store(isolation: desk))
    let holder = way == .ownStore ? down : harness.store()
    holder.bind(id: "b", to: up, on: \.count) { count in
      guard count > 0 else { return .none }
      switch way {
      case .lift: return .lift(.log("\(count)"), to: down)
      case .twoLifts: return .lift(.lift(.log("\(count)"), to: down), to: between)
      case .ownStore: return .log("\(count)")
      }
    }
    down.bind(id: "own", to: down, on: \.other) { other in
      if other > 0 { up.receive(.set(\.count, to: 2)) }
      return .none
    }
    harness.settle()
    @Sendable func receiveElsewhere() {
      down.receive(.set(\.other, to: 1))
      up.receive(.set(\.count, to: 1))
    }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = down.receive(.log("later"))
      }
    }
    harness.settle()
    #expect(down.log.filter { $0 != "later" } == ["1", "2"])
    down.deactivate()
    #expect(down.remains == [])
  }

  @Test("A binding's first value is lifted in the turn that it comes in, however deep it is", arguments: [0, 300])
  func law06_firstValueInATurn(depth: Int) throws {
    let desk = Desk()
    let (up, holder, down) = (harness.store(), harness.store(), harness.store(isolation: desk))
    holder.bind(id: "b", to: up, on: \.count) { count in
      if count == 0 { return .none }
      return (0..<depth).reduce(.lift(.log("lifted"), to: down)) { effect, _ in .merge(effect, .set { $0.other += 1 }) }
    }
    harness.settle()
    @Sendable func receiveElsewhere() {
      down.receive(.concatenate(.log("first"), .lift(.set(\.count, to: 1), to: up)))
      down.receive(.log("later"))
    }
    try harness.wait {
      await desk.run { _ in
        receiveElsewhere()
        _ = down.receive(.log("last"))
      }
    }
    #expect(down.log == ["first", "lifted", "later", "last"])
    #expect(holder.other == depth)
    down.deactivate()
  }
}
