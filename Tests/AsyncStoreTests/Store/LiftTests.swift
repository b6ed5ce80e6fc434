import AsyncStore
import Testing

@Suite("Lifting an effect of another store's")
struct LiftTests {
  struct Journal: Sendable { var log: [String] = [] }
  typealias JournalStore = AsyncStore<Journal, Void>

  @Test("A task after a lifted effect runs, and a lifted effect after a task", .timeLimit(.minutes(1)))
  func liftBesideTasksInOneSequence() async {
    let store = JournalStore(state: Journal(), env: ())
    let other = JournalStore(state: Journal(), env: ())
    let outcome = await store.run(
      .concatenate(
        .lift(.append("lifted", to: \.log), to: other), .task { .append("task", to: \.log) },
        .lift(.task { .append("lifted task", to: \.log) }, to: other), .task { .append("last", to: \.log) }))
    #expect(outcome.isFinished)
    #expect(store.log == ["task", "last"])
    #expect(other.log == ["lifted", "lifted task"])
  }
}
