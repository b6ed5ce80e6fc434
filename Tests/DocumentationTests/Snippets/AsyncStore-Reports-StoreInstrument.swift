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
