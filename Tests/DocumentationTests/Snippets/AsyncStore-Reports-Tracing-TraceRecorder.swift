// swift-format-ignore-file
// Made from Sources/AsyncStore/Reports/Tracing/TraceRecorder.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Reports/Tracing/TraceRecorder.swift")
struct AsyncStoreReportsTracingTraceRecorderSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TraceRecorder.swift yields what its comments say") func snippet1() async {
    let recorder = TraceRecorder(capacity: 1_000)
    let store = CounterStore(state: Counter(), env: service, name: "orders", instrument: recorder)
    await store.run(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 1)))
    #expect(recorder.count == 3)
    #expect(recorder.jsonLines.split(separator: "\n").count == 3)
  }
}
