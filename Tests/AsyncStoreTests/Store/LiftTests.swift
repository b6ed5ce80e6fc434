import AsyncStore
import Testing

@Suite("Lifting an effect of another store's")
struct LiftTests {
  @TaskLocal static var local = 0

  @Test("A task after a lifted effect runs, and a lifted effect after a task", .timeLimit(.minutes(1)))
  func liftBesideTasksInOneSequence() async {
    let store = CounterStore(state: Counter(), env: ())
    let other = CounterStore(state: Counter(), env: ())
    let outcome = await store.run(
      .concatenate(
        .lift(.append("lifted", to: \.log), to: other), .task { .append("task", to: \.log) },
        .lift(.task { .append("lifted task", to: \.log) }, to: other), .task { .append("last", to: \.log) }))
    #expect(outcome.isFinished)
    #expect(store.log == ["task", "last"])
    #expect(other.log == ["lifted", "lifted task"])
  }
}
