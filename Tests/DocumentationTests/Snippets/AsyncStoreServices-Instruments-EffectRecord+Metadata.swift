// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Instruments/EffectRecord+Metadata.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import InMemoryLogging
import Logging
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Instruments/EffectRecord+Metadata.swift")
struct AsyncStoreServicesInstrumentsEffectRecordMetadataSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of EffectRecord+Metadata.swift yields what its comments say") func snippet1() async {
    let log = InMemoryLogHandler()
    let logger = Logger(label: "orders") { _, _ in
      var handler = log
      handler.metadataProvider = .asyncStore
      return handler
    }
    let logged = CounterStore(state: Counter(), env: service, instrument: LogInstrument(logger))
    let charge = CounterStore.Effect.task {
      logger.notice("charging")
      return .none
    }
    await logged.run(charge.id("order"))
    #expect(log.entries[0].metadata["id"] == "order")
  }
}
#endif
