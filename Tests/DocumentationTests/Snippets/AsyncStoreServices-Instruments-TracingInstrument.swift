// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Instruments/TracingInstrument.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import InMemoryTracing
import Testing
import Tracing

@Suite("Snippets of Sources/AsyncStoreServices/Instruments/TracingInstrument.swift")
struct AsyncStoreServicesInstrumentsTracingInstrumentSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TracingInstrument.swift yields what its comments say") func snippet1() async {
    let tracer = InMemoryTracer()
    let traced = CounterStore(state: Counter(), env: service, instrument: TracingInstrument(tracer: tracer))
    await tracer.withSpan("request") { _ in
      _ = await traced.run(.task { .set(\.count, to: 1) }.label("charge"))
    }
    let (charge, request) = (tracer.finishedSpans[0], tracer.finishedSpans[1])
    #expect(charge.operationName == "charge")
    #expect(charge.parentSpanID == request.spanID)
  }
}
#endif
