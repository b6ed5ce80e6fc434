import Testing

@testable import AsyncStore

@Suite("The wait-for graph of several stores")
struct WaitGraphTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  private func store(_ name: String) -> JournalStore {
    JournalStore(state: Journal(), env: (), name: name, clock: harness.clock, executor: harness.executor, seed: 0)
  }

  /// Returns the effects that can be reached from an effect, its own included, as `store.kind`.
  private func awaited(from start: WaitGraph.Vertex, in graph: WaitGraph, _ stores: [JournalStore]) -> Set<String> {
    var (seen, pending): (Set<WaitGraph.Vertex>, [WaitGraph.Vertex]) = ([start], [start])
    while let node = pending.popLast() {
      for edge in graph.edges where edge.from == node && seen.insert(edge.to).inserted { pending.append(edge.to) }
    }
    return Set(
      stores.flatMap { store in
        store.inFlight.filter { seen.contains(.effect($0.id, in: store.identity)) }
          .map { "\(store.identity).\($0.kind)" }
      })
  }

  @Test("The wait-for graph has an edge from an effect to what it has lifted, through any number of stores")
  func lifts() {
    let stores = ["a", "b", "c"].map { store($0) }
    let nap = Effect.sleep(.seconds(1))
    stores[0].receive(.lift(.concatenate(.log("x"), .lift(.merge(nap, nap), to: stores[2])), to: stores[1]))
    stores[1].receive(nap)
    let graph = WaitGraph(stores)
    let start = WaitGraph.Vertex.effect(stores[0].inFlight[0].id, in: stores[0].identity)
    #expect(awaited(from: start, in: graph, stores) == ["a.lift", "b.lift", "c.merge", "c.sleep"])
    #expect(graph.edges.count == 4 && graph.cycles.isEmpty)
    #expect(
      graph.mermaid.contains(#"["a: lift · running in another store"]"#) && graph.dot.contains(#"label="c: merge"#))
    #expect(WaitGraph([stores[0]]).edges.isEmpty, "the other stores are not given")
    harness.advance(by: .seconds(1))
    #expect(WaitGraph(stores).edges.isEmpty)
  }

  @Test("The wait-for graph has an edge from a lift of a store that drains to the stream that it has stopped")
  func drainedLift() throws {
    let (a, b) = (store("a"), store("b"))
    let end = Gate()
    let stream = Effect.stream(GatedSequence(gate: end)) { _ in .log("never") }
    a.receive(.lift(.merge(stream, .sleep(.seconds(1))), to: b))
    harness.settle()
    let shutdown = harness.start { try await a.shutdown() }
    harness.advance(by: .seconds(1))
    let start = WaitGraph.Vertex.effect(try #require(a.inFlight.first).id, in: a.identity)
    #expect(awaited(from: start, in: WaitGraph([a, b]), [a, b]) == ["a.lift", "b.stream"])
    #expect(b.inFlight.count == 1 && !shutdown.isFinished)
    end.open()
    harness.settle()
    #expect(shutdown.isFinished && a.remains == [] && b.remains == [])
  }

  @Test("The wait-for graph tells effects with the same number or identifier apart by their stores")
  func namesakes() {
    let (a, b) = (store("a"), store("b"))
    for store in [a, b] {
      for _ in 0..<2 { store.receive(.sleep(.seconds(1)).id("q", .queue())) }
    }
    #expect(a.inFlight.map(\.id) == b.inFlight.map(\.id))
    let graph = WaitGraph([a, b])
    #expect(graph.edges == WaitGraph([a]).edges + WaitGraph([b]).edges)
    #expect(Set(graph.edges).count == 4)
    harness.advance(by: .seconds(2))
  }

  @Test("The wait-for graph finds the cycle of effects that wait for each other through lifts")
  func cycle() {
    let (a, b) = (store("a"), store("b"))
    b.receive(.sleep(.seconds(1)).id("b"))
    a.receive(.lift(.join("b"), to: b).id("a"))
    #expect(WaitGraph([a, b]).cycles.isEmpty)
    b.receive(.lift(.join("a"), to: a).id("b"))
    a.receive(.join("a"))
    let graph = WaitGraph([a, b])
    #expect(graph.cycles.count == 1)
    let members = Set(graph.cycles.joined())
    #expect(members.isSuperset(of: [.end("a", in: a.identity), .end("b", in: b.identity)]))
    func kinds(_ store: JournalStore) -> [EffectKind] {
      store.inFlight.filter { members.contains(.effect($0.id, in: store.identity)) }.map(\.kind)
    }
    // The last `join` in the first store waits for the cycle, and is not on it.
    #expect(kinds(a) == [.lift, .join] && kinds(b) == [.join, .lift])
    #expect(a.inFlight.waitGraph.cycles.isEmpty && b.inFlight.waitGraph.cycles.isEmpty)
    a.receive(.cancel("a"))
    harness.settle()
    #expect(WaitGraph([a, b]).edges.isEmpty && a.inFlight.isEmpty && b.inFlight.isEmpty)
  }

  @Test("The wait-for graph has an edge from a cancelled effect to the cleanup that it has left in another store")
  func cleanup() {
    let (a, b) = (store("a"), store("b"))
    let nap = Effect.sleep(.seconds(1))
    a.receive(.lift(nap.finally(nap), to: b).id("a"))
    a.receive(.cancel("a"))
    let graph = WaitGraph([a, b])
    let start = WaitGraph.Vertex.effect(a.inFlight[0].id, in: a.identity)
    #expect(a.inFlight[0].isCancelled && awaited(from: start, in: graph, [a, b]).contains("b.sleep"))
    harness.advance(by: .seconds(1))
    #expect(a.inFlight.isEmpty && WaitGraph([a, b]).edges.isEmpty)
  }
}
