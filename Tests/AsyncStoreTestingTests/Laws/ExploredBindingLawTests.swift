import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Laws of bindings and of life, under every schedule of small programs", .explored(.exhaustive(limit: 500_000)))
struct ExploredBindingLawTests {
  private let simulation = Simulation.current!

  @Test("A downstream store at rest is the map of its upstream store")
  func law17_downstreamIsTheMap() async {
    let upstream = simulation.store(0, env: ())
    let downstream = simulation.store([Int](), env: ())
    downstream.bind(id: "upstream", to: upstream, on: \.self) { value in .set { $0.append(value * 10) } }
    await withTaskGroup(of: Void.self) { group in
      for number in 1...2 {
        group.addTask {
          await upstream.run(.task { .set { $0 = number } })
          await upstream.run(.task { .set { $0 = -number } })
        }
      }
    }
    #expect(downstream.state.last == upstream.state * 10)
    #expect(downstream.state.first == 0)
    #expect(zip(downstream.state, downstream.state.dropFirst()).allSatisfy { $0 != $1 }, "equal neighbours are one")
    #expect(downstream.state.count == 5, "none is lost")
    downstream.deactivate()
  }

  @Test("Stores bound in a cycle come to rest with one value")
  func law17_cycle() async {
    let left = simulation.store(0, env: ())
    let right = simulation.store(0, env: ())
    left.bind(id: "right", to: right, on: \.self) { value in .set { $0 = value } }
    right.bind(id: "left", to: left, on: \.self) { value in .set { $0 = value } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await left.run(.task { .set { $0 = 1 } }) }
      group.addTask { _ = await right.run(.concatenate(.task { .set { $0 = 2 } }, .task { .set { $0 = 3 } })) }
    }
    #expect(left.state == right.state)
    #expect(left.state == 1 || left.state == 3)
    left.deactivate()
    right.deactivate()
  }

  @Test("A value on its way to a cancelled binding arrives neither there nor at what comes after it")
  func law07_bindingsAreBehindTheBarrier() async {
    let upstream = simulation.store(0, env: ())
    let downstream = simulation.store(Journal(), env: ())
    let silence = AsyncStream<Int> { _ in }
    downstream.bind(id: "canceller", to: upstream, on: \.self) { value in value == 0 ? .none : .cancel("cancelled") }
    downstream.bind(id: "starter", to: upstream, on: \.self) { value in
      value == 0 ? .none : .stream(silence) { _ in .none }.id("heir")
    }
    downstream.bind(id: "cancelled", to: upstream, on: \.self) { value in value == 0 ? .none : .log("late") }
    await withTaskGroup(of: Void.self) { group in
      for value in 1...2 { group.addTask { upstream.receive(.set { $0 = value }) } }
    }
    #expect(downstream.log == [])
    downstream.deactivate()
  }

  @Test("Two stores bound to one under the same identifier do not touch each other")
  func law18_bindingsAreTheirOwn() async {
    let upstream = simulation.store(0, env: ())
    let first = simulation.store(0, env: ())
    let second = simulation.store(0, env: ())
    first.bind(id: "upstream", to: upstream, on: \.self) { value in .set { $0 = value } }
    second.bind(id: "upstream", to: upstream, on: \.self) { value in .set { $0 = value } }
    let atCancel = Note(0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await upstream.run(.concatenate(.task { .set { $0 = 1 } }, .task { .set { $0 = 2 } })) }
      group.addTask {
        await switchPoint()
        first.receive(.cancel("upstream"))
        atCancel.value = first.state
      }
    }
    #expect(second.state == 2)
    #expect(first.state == atCancel.value)
    second.deactivate()
  }

  @Test("Nothing commits after a deactivate, and a receive after it says so")
  func law19_deactivate() async {
    let store = simulation.store(Journal(), env: ())
    store.receive(.concatenate(.logTask("a"), .logTask("b")))
    store.receive(.timer(.seconds(1), id: "timer") { _ in .log("tick") })
    let atEnd = Note<[String]>()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        store.deactivate()
        store.deactivate()
        atEnd.value = store.log
      }
      group.addTask {
        let wasActive = store.isActive
        let outcome = await store.receive(.logTask("late")).outcome
        if case .inactive = outcome { #expect(!wasActive) } else { #expect(wasActive) }
      }
    }
    await simulation.clock.advance(by: .seconds(5))
    #expect(store.log == atEnd.value)
    #expect(store.inFlight.isEmpty)
    store.activate()
    store.receive(.log("again"))
    await simulation.clock.advance(by: .seconds(5))
    #expect(store.log == atEnd.value + ["again"], "activate revives nothing")
  }

  @Test("A shutdown waits until all operations have returned")
  func law19_shutdown() async throws {
    let store = simulation.store(Journal(), env: ())
    let running = Note(0)
    store.receive(
      .merge(
        effects: (0..<2).map { number in
          .task {
            running.change { $0 += 1 }
            // A debug build would take minutes for the schedules of two.
            if number == 0 || TestSize.isOptimized { await switchPoint() }
            running.change { $0 -= 1 }
            return .log("\(number)")
          }
        }))
    let log = try await Task {
      try await store.shutdown(drain: .zero, cleanup: nil)
      #expect(running.value == 0)
      return store.log
    }.value
    await simulation.settle()
    #expect(store.log == log)
    #expect(store.inFlight.isEmpty)
  }
}
