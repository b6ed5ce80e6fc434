// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/LookingInside.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/LookingInside.md")
struct AsyncStoreAsyncStoreLookingInsideSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of LookingInside.md yields what its comments say") func snippet1() async throws {
    let loading = CounterStore.Effect.task { try await service.hang(); return .none }
    store.receive(.merge(.sleep(.seconds(60)).label("pause"), loading).id("load"))
    let inFlight = store.inFlight
    #expect(inFlight.map(\.kind) == [.merge, .sleep, .task])
    #expect(inFlight.map(\.wait.reason) == [.children, .deadline, .operation])
    #expect(inFlight[1].parent == inFlight[0].id)
  }

  @Test("Snippet 2 of LookingInside.md yields what its comments say") func snippet2() {
    store.receive(.sleep(.seconds(60)).label("first").id("export", .queue()))
    store.receive(.set(\.count, to: 1).label("second").id("export", .queue()))
    store.receive(.concatenate(.join("export"), .set(\.count, to: 2)))
    let waiting = store.inFlight
    #expect(waiting.map(\.wait.reason) == [.deadline, .place, .join])
    #expect(waiting[1].wait.position == 1)
    let graph = waiting.waitGraph
    let place = WaitGraph.Vertex.place("export", in: store.identity)
    #expect(graph.edges.contains(.init(from: .effect(waiting[1].id, in: store.identity), to: place)) == true)
    #expect(graph.edges.contains(.init(from: place, to: .effect(waiting[0].id, in: store.identity))) == true)
    #expect(graph.cycles.isEmpty == true)
  }

  @Test("Snippet 3 of LookingInside.md yields what its comments say") func snippet3() {
    store.receive(.sleep(.seconds(60)).id("b"))
    store.receive(.join("b").timeout(.seconds(60)).id("a"))
    store.receive(.join("a").timeout(.seconds(60)).id("b"))
    #expect(store.inFlight.waitGraph.cycles.count == 1)
  }

  @Test("Snippet 4 of LookingInside.md yields what its comments say") func snippet4() {
    let journal = CounterStore(state: Counter(), env: service, name: "journal")
    journal.receive(.sleep(.seconds(60)).id("entry"))
    store.receive(.lift(.join("entry"), to: journal).id("order"))
    journal.receive(.lift(.join("order"), to: store).id("entry"))
    let cycles = WaitGraph([store, journal]).cycles
    store.receive(.cancel("order"))
    #expect(cycles.count == 1)
    #expect(WaitGraph([store, journal]).cycles.isEmpty == true)
  }

  @Test("Snippet 5 of LookingInside.md yields what its comments say") func snippet5() {
    let journal = CounterStore(state: Counter(), env: service, name: "journal")
    let board = CounterStore(state: Counter(), env: service, name: "board")
    board.bind(id: "journal", to: journal, on: \.items) { .set(\.count, to: $0.count) }
    let bindings = BindingGraph([journal, board])
    #expect(bindings.edges.map(\.upstream) == [journal.identity])
    #expect(bindings.edges.map(\.downstream) == [board.identity])
  }

  @Test("Snippet 6 of LookingInside.md yields what its comments say") func snippet6() async {
    let recorder = TraceRecorder(capacity: 1_000)
    let traced = CounterStore(state: Counter(), env: service, name: "orders", instrument: recorder)
    await traced.run(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 1)).label("order 7"))
    #expect(recorder.count == 3)
    #expect(recorder.droppedCount == 0)
    #expect(recorder.chromeTrace.contains(#""name":"order 7""#) == true)
  }
}
