// swift-format-ignore-file
// Made from Sources/AsyncStore/Values/RetrySchedule.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Values/RetrySchedule.swift")
struct AsyncStoreValuesRetryScheduleSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of RetrySchedule.swift yields what its comments say") func snippet1() {
    let schedule = RetrySchedule.exponential(first: .milliseconds(100))
      .limitedTo(attempts: 5)
      .capped(at: .seconds(2))
      .jittered(by: 0.2)
    var generator = SplitMix64(seed: 1)
    let delay = schedule.delay(afterAttempt: 5, elapsed: .zero, using: &generator)
    #expect(delay == nil)
  }
}
