import Testing

@testable import AsyncStore

@Suite("The wait of an effect in flight")
struct InFlightWaitTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  private func reasons(_ store: JournalStore) -> [EffectWait.Reason] { store.inFlight.map(\.wait.reason) }

  @Test("An effect in flight names what it waits for")
  func reasons() {
    let (other, gate) = (harness.store(), Gate())
    let nap = Effect.sleep(.seconds(1))
    let slow = Effect.logTask("x", after: gate)
    let cases: [(Effect, [EffectWait.Reason])] = [
      (nap, [.deadline]), (slow, [.operation]), (.merge(nap, slow), [.children, .deadline, .operation]),
      (nap.timeout(.seconds(2)), [.children, .deadline]), (.timer(.seconds(1), id: "t") { _ in .none }, [.deadline]),
      (.fail("x").retry(.constant(.seconds(1))), [.backOff]),
      (.log("a").throttle(for: .seconds(9), id: "w", edges: .trailing), [.window]),
      (.stream(AsyncStream<Int>.makeStream().stream) { _ in .none }, [.values]),
      (.lift(slow, to: other), [.otherStore]),
    ]
    for (effect, expected) in cases {
      let store = harness.store()
      store.receive(effect)
      harness.settle()
      #expect(reasons(store) == expected, "\(effect)")
      store.deactivate()
    }
    gate.open()
    harness.settle()
  }

  @Test("An effect in flight waits for a place in line, the end of a cleanup, or the ends of identifiers")
  func identifiers() throws {
    let store = harness.store()
    let nap = Effect.sleep(.seconds(9))
    let (q, r) = (EffectID("p").appending("q"), EffectID("p").appending("r"))
    for _ in 0..<3 { store.receive(nap.id(q, .queue())) }
    store.receive(.join(prefix: "p"))
    store.receive(.sleep(.seconds(1)).id(r))
    store.receive(.join(prefix: "p"))
    let before = store.inFlight.map(\.wait)
    #expect(before.map(\.reason) == [.deadline, .place, .place, .join, .deadline, .join])
    #expect(before.map(\.position) == [nil, 1, 2, nil, nil, nil])
    #expect(before.map(\.identifiers) == [[], [q], [q], [q], [], [q, r]])
    harness.advance(by: .seconds(1))
    #expect(store.inFlight.last?.wait.identifiers == [q])
    store.deactivate()
    store.activate()
    store.receive(nap.finally(nap).id("c"))
    store.receive(nap.id("c", .replaceAfterCleanup))
    #expect(store.inFlight.map(\.wait.description).contains("waiting for a cleanup, 1st under c"))
    let graph = store.inFlight.waitGraph
    let waiting = try #require(store.inFlight.first { $0.wait.reason == .cleanup && $0.wait.position == 1 })
    let cleanup = try #require(store.inFlight.first { $0.wait.reason == .deadline })
    let vertices = [waiting, cleanup].map { WaitGraph.Vertex.effect($0.id, in: store.identity) }
    #expect(isReachable(vertices[1], from: vertices[0], in: graph))
    #expect(graph.cycles.isEmpty)
    store.deactivate()
  }

  private func isReachable(_ target: WaitGraph.Vertex, from start: WaitGraph.Vertex, in graph: WaitGraph) -> Bool {
    var (seen, pending): (Set<WaitGraph.Vertex>, [WaitGraph.Vertex]) = ([start], [start])
    while let node = pending.popLast() {
      for edge in graph.edges where edge.from == node && seen.insert(edge.to).inserted { pending.append(edge.to) }
    }
    return seen.contains(target)
  }

  @Test("The wait-for graph shows who stands in line behind whom, and who joins what")
  func graph() {
    let store = harness.store()
    let nap = Effect.sleep(.seconds(9))
    for _ in 0..<3 { store.receive(nap.id("q", .queue())) }
    store.receive(.concatenate(.join("q"), .log("x")).id("j"))
    let numbers = store.inFlight.map(\.id)
    let graph = store.inFlight.waitGraph
    let node = { WaitGraph.Vertex.effect(numbers[$0], in: store.identity) }
    let (place, end) = (WaitGraph.Vertex.place("q", in: store.identity), WaitGraph.Vertex.end("q", in: store.identity))
    let expected: [(WaitGraph.Vertex, WaitGraph.Vertex)] = [
      (node(1), place), (node(2), node(1)), (node(3), end), (place, node(0)), (end, node(0)), (end, node(1)),
      (end, node(2)),
    ]
    #expect(graph.edges.map { [$0.from, $0.to] } == expected.map { [$0.0, $0.1] })
    #expect(graph.cycles.isEmpty)
    store.deactivate()
  }

  @Test("The wait-for graph shows a cycle until a timeout ends it")
  func cycle() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1)).id("b"))
    store.receive(.join("b").timeout(.seconds(5)).id("a"))
    store.receive(.join("a").timeout(.seconds(9)).id("b"))
    store.receive(.join("a"))
    let effects = store.inFlight
    let cycles = effects.waitGraph.cycles
    #expect(cycles.count == 1)
    let (members, identity) = (Set(cycles.joined()), store.identity)
    // The last `join` waits for the cycle, and is not on it.
    #expect(members.isSuperset(of: [.end("a", in: identity), .end("b", in: identity)]))
    #expect(
      effects.map { members.contains(.effect($0.id, in: identity)) } == [true, true, true, true, false])
    #expect(effects.prefix(4).map(\.kind) == [.timeout, .join, .timeout, .join])
    harness.advance(by: .seconds(5))
    #expect(store.inFlight.waitGraph.cycles.isEmpty)
    store.deactivate()
  }

  @Test("The wait-for graph is drawn for Mermaid and Graphviz, with cycles marked and names escaped")
  func pictures() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1)).id("b"))
    store.receive(.join("b").label("say \"<hi>\"").timeout(.seconds(5), file: "F", line: 0).id("a"))
    store.receive(.join("a").timeout(.seconds(5), file: "F", line: 0).id("b"))
    #expect(
      store.inFlight.mermaid == """
        flowchart TD
          n0["[a] timeout 5.0 seconds · waiting for its children"]
          n1["#quot;say #quot;#lt;hi#gt;#quot;#quot; join b · joining"]
          n2["[b] timeout 5.0 seconds · waiting for its children"]
          n3["join a · joining"]
          n0 --> n1
          n2 --> n3

        """)
    let graph = store.inFlight.waitGraph
    #expect(graph.mermaid.contains("class n0,n1,n2,n3,n4,n5 cycle"))
    #expect(graph.mermaid.contains(#"["the end of b"]"#))
    #expect(
      graph.dot.hasPrefix("digraph {") && graph.dot.contains(#"label="\"say \"<hi>\"\" join b · joining", color=red"#))
    #expect(store.inFlight.dot.contains("n0 -> n1\n") && !store.inFlight.dot.contains("red"))
    store.deactivate()
  }

  @Test("Drawn names neither end a quoted text nor hold control characters")
  func hostileNames() {
    for name in ["\"", "\"\u{301}", "\"\u{200D}b", "\\\u{301}", "a\u{0}b", "a\u{1B}[31m", "a\r\nb", "<\u{301}#"] {
      let store = harness.store()
      store.receive(.sleep(.seconds(60)).id(name))
      let (dot, mermaid) = (store.inFlight.dot, store.inFlight.mermaid)
      let label = dot.unicodeScalars.split(separator: "\n").map { String($0) }.first { $0.contains("label=") } ?? ""
      // Two quotes that are not escaped: around the label.
      var (quotes, isEscaped) = (0, false)
      for scalar in label.unicodeScalars {
        if scalar == "\"", !isEscaped { quotes += 1 }
        isEscaped = scalar == "\\" && !isEscaped
      }
      #expect(quotes == 2, "\(label)")
      #expect(mermaid.unicodeScalars.count { $0 == "\"" } == 2, "\(mermaid)")
      for text in [dot, mermaid] {
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      }
      store.deactivate()
    }
  }

  @Test("The search for cycles in a graph takes no stack, and linear time")
  func deep() {
    var graph = DirectedGraph<Int>()
    for node in 0..<200_000 { graph.connect(node, to: node + 1) }
    #expect(graph.cycles.isEmpty)
    graph.connect(200_000, to: 100_000)
    graph.connect(7, to: 7)
    #expect(graph.cycles.map(\.count) == [1, 100_001])
  }
}

@Suite("The graph of bindings")
struct BindingGraphTests {
  let harness = Harness()

  @Test("The graph of bindings has an edge for each binding between stores, and marks cycles")
  func bindings() {
    let stores = ["a", "b", "c"].map { JournalStore(state: Journal(), env: (), name: $0) }
    let (a, b, c) = (stores[0], stores[1], stores[2])
    b.bind(id: "one", to: a, on: \.count) { .set(\.count, to: $0) }
    a.bind(id: "two", to: b, on: \.count) { .set(\.count, to: $0) }
    c.bind(id: "three", to: b, on: \.count) { .set(\.count, to: $0) }
    c.bind(id: "gone", to: a, on: \.count) { .set(\.count, to: $0) }
    c.receive(.cancel("gone"))
    let graph = BindingGraph(stores)
    #expect(
      graph.edges.map { "\($0.upstream) \($0.identifier) \($0.downstream)" } == ["a one b", "b two a", "b three c"])
    #expect(graph.cycles.map { $0.map(\.description) } == [["a", "b"]])
    #expect(graph.mermaid.contains(#"n0 -->|"one"| n1"#) && graph.mermaid.contains("class n0,n1 cycle"))
    #expect(graph.dot.contains(#"n1 -> n0 [label="two"]"#))
    #expect(BindingGraph([]).edges.isEmpty)
  }

  @Test("The list of effects in flight has a line for each, whatever their names are")
  func hostileNames() {
    let store = JournalStore(state: Journal(), env: ())
    store.receive(.sleep(.seconds(9)).id("a\nb\r\n[forged]").label("x\u{2028}y"))
    let lines = store.inFlight.description.split(whereSeparator: \.isNewline)
    #expect(lines.count == 1 && lines[0].contains(#"[a\nb\n[forged]] "x\ny""#), "\(lines)")
  }

  @Test("The graphs of many effects in flight take linear time", .timeLimit(.minutes(1)))
  func manyEffects() {
    let store = JournalStore(state: Journal(), env: ())
    store.receive(.merge(effects: (0..<20_000).map { .sleep(.seconds(9)).id($0) }))
    #expect(store.inFlight.dot.count { $0 == "\n" } > 20_000)
    #expect(store.inFlight.mermaid.count { $0 == "\n" } > 20_000)
  }
}
