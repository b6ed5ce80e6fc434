// swift-format-ignore-file
// Made from Sources/AsyncStore/Reports/StoreInstrument.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

struct Log: StoreInstrument {
  func record(_ event: InstrumentEvent) { print(event) }
}

@Suite("Snippets of Sources/AsyncStore/Reports/StoreInstrument.swift")
struct AsyncStoreReportsStoreInstrumentSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 2 of StoreInstrument.swift yields what its comments say") func snippet2() {
    let (log, audit) = (Recorder(), Recorder())
    let store = CounterStore(state: Counter(), env: service, instrument: CombinedInstrument(log, audit))
    store.receive(.set(\.count, to: 1))
    #expect(log.lines.count == 1)
    #expect(audit.lines == log.lines)
  }
}
