// swift-format-ignore-file
// Made from README.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of README.md")
struct READMESnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of README.md yields what its comments say") func snippet1() async throws {
    struct Feed: Sendable { var items: [String] = [], isLoading = false }

    let store = AsyncStore(state: Feed(), env: UserService())
    await store.run(
      .concatenate(
        .set(\.isLoading, to: true),
        .perform { service in .set(\.items, to: try await service.items()) }
          .retry(.exponential(first: .milliseconds(100)).limitedTo(attempts: 3))
          .timeout(.seconds(5)),
        .set(\.isLoading, to: false)
      ).id("refresh"))  // another "refresh" would replace this one
    #expect(store.items == ["one", "two"])
    #expect(store.isLoading == false)
  }
}
