// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/AsyncStorePersistence.docc/CrashesAndFailures.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/AsyncStorePersistence.docc/CrashesAndFailures.md")
struct AsyncStorePersistenceAsyncStorePersistenceCrashesAndFailuresSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of CrashesAndFailures.md yields what its comments say") func snippet1() throws {
    let path = folder.appending(path: "tally.state")
    let file = FileStorage(path)
    let tally = AsyncStore(state: Tally(), env: ())
    let persistence = try tally.persist(\.self, in: file)
    for number in 1...2 {
      tally.send(.add(number))
      try persistence.save()
    }
    persistence.stop()
    try Data("damage".utf8).write(to: path)
    let next = AsyncStore(state: Tally(), env: ())
    let error = #expect(throws: PersistenceError.self) { try next.persist(\.self, in: file) }
    try file.restorePrevious()
    try next.persist(\.self, in: file)
    #expect(error?.code == .damaged)
    #expect(next.count == 1)
  }

  @Test("Snippet 2 of CrashesAndFailures.md yields what its comments say") func snippet2() throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    let (tally, other) = (AsyncStore(state: Tally(), env: ()), AsyncStore(state: Tally(), env: ()))
    try tally.persist(\.self, in: file)
    let error = #expect(throws: PersistenceError.self) { try other.persist(\.self, in: file) }
    tally.deactivate()
    try other.persist(\.self, in: file)
    #expect(error?.code == .inUse)
  }
}
