// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Saving/Persistence+Notifications.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Saving/Persistence+Notifications.swift")
struct AsyncStorePersistenceSavingPersistenceNotificationsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Persistence+Notifications.swift yields what its comments say") func snippet1() throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    let tally = AsyncStore(state: Tally(), env: ())
    let persistence = try tally.persist(\.self, in: file, saving: .onDemand)
    let ending = Notification.Name("ending")
    let saving = persistence.startSaving(on: ending)
    tally.send(.add(3))
    NotificationCenter.default.post(name: ending, object: nil)
    saving.stop()
    persistence.stop()
    let restored = AsyncStore(state: Tally(), env: ())
    try restored.persist(\.self, in: file)
    #expect(restored.count == 3)
  }
}
