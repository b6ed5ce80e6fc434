// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Instruments/LogInstrument.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import InMemoryLogging
import Logging
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Instruments/LogInstrument.swift")
struct AsyncStoreServicesInstrumentsLogInstrumentSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of LogInstrument.swift yields what its comments say") func snippet1() async {
    let log = InMemoryLogHandler()
    let logger = Logger(label: "orders") { _ in log }
    let logged = CounterStore(state: Counter(), env: service, instrument: LogInstrument(logger))
    await logged.run(.task { throw UserService.Unavailable() })
    #expect(log.entries.map(\.level) == [.warning])
  }
}
#endif
