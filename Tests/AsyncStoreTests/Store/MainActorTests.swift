import Testing

@testable import AsyncStore

/// On real threads, because the main actor runs on one.
@Suite("A store bound to the main actor")
struct MainActorTests {
  @MainActor @Test("A store bound to the main actor receives and is read there synchronously")
  func mainActor() async {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    store.receive(
      .set {
        MainActor.assertIsolated()
        $0.count = 1
      })
    #expect(store.count == 1)
    let handle = store.receive(
      .concatenate(
        .task {
          .set {
            MainActor.assertIsolated()
            $0.count += 1
          }
        }, .log("done")))
    #expect(store.count == 1)
    #expect(await handle.outcome.isFinished)
    #expect(store.count == 2)
    #expect(store.log == ["done"])
  }

  @Test("A store bound to the main actor commits effects from elsewhere in the order in which they came")
  func mainActorFromElsewhere() async {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    let handles = (0..<100).map { index in
      store.receive(
        .set {
          MainActor.assertIsolated()
          $0.log.append("\(index)")
        })
    }
    for handle in handles { #expect(await handle.outcome.isFinished) }
    #expect(store.log == (0..<100).map(\.description))
  }
}
