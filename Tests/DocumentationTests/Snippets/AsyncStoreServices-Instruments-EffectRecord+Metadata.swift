// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Instruments/EffectRecord+Metadata.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import Logging
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Instruments/EffectRecord+Metadata.swift")
struct AsyncStoreServicesInstrumentsEffectRecordMetadataSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("snippet 1") func snippet1() {
    let logger = Logger(label: "orders", metadataProvider: .asyncStore)
    #expect((logger.metadataProvider == nil) == false)
  }
}
#endif
