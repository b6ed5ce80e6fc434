// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Scheduling/Schedule.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Scheduling/Schedule.swift")
struct AsyncStoreTestingSchedulingScheduleSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Schedule.swift yields what its comments say") func snippet1() {
    let schedule = Schedule("7:0/2*3-1/4-w2/3")
    #expect(schedule?.count == 5)
    #expect(schedule?.description == "7:0/2*3-1/4-w2/3")
  }
}
