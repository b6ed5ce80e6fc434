import Testing

@testable import AsyncStore

/// Operations see nothing of these values' absence; see `WaitingLawTests`.
@Suite("The check for task-local values")
struct TaskLocalValuesTests {
  @TaskLocal private static var first = 0
  @TaskLocal private static var second = ""

  /// True where the store can tell; elsewhere each task is taken to have values.
  private static var isKnown: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  @Test("The check for task-local values works on Linux alone")
  func isKnown() { #expect((TaskLocalValues.place != nil) == Self.isKnown) }

  @Test("The check for task-local values tells at each moment whether the running task has any")
  func inATask() async {
    let answers = await Task.detached {
      var answers = [TaskLocalValues.areNone]
      Self.$first.withValue(1) {
        answers.append(TaskLocalValues.areNone)
        Self.$first.withValue(2) { answers.append(TaskLocalValues.areNone) }
        Self.$second.withValue("") { answers.append(TaskLocalValues.areNone) }
        answers.append(TaskLocalValues.areNone)
      }
      answers.append(TaskLocalValues.areNone)
      await Self.$second.withValue("x") {
        await Task.yield()
        answers.append(TaskLocalValues.areNone)
      }
      answers.append(TaskLocalValues.areNone)
      return answers
    }.value
    #expect(answers == [true, false, false, false, false, true, false, true].map { $0 && Self.isKnown })
  }

  @Test("The check for task-local values counts those of a task's creator, unless the task is detached")
  func inherited() async {
    let answers = await Task.detached {
      var answers: [Bool] = []
      for hasValue in [false, true] {
        @Sendable func children() async -> [Bool] {
          async let child = TaskLocalValues.areNone
          let member = await withTaskGroup { group in
            group.addTask { TaskLocalValues.areNone }
            return await group.next() ?? false
          }
          let task = await Task { TaskLocalValues.areNone }.value
          let detached = await Task.detached { TaskLocalValues.areNone }.value
          return [await child, member, task, detached]
        }
        if hasValue {
          answers += await Self.$first.withValue(1) { await children() }
        } else {
          answers += await children()
        }
      }
      return answers
    }.value
    #expect(answers == [true, true, true, true, false, false, false, true].map { $0 && Self.isKnown })
  }

  @Test("The check for task-local values never says that there are none outside of a task")
  func outsideOfTasks() async {
    let answers = Note<[Bool]>([])
    await Stress.onThreads(1) { _ in
      answers.change { $0.append(TaskLocalValues.areNone) }
      Self.$first.withValue(1) { answers.change { $0.append(TaskLocalValues.areNone) } }
    }
    #expect(answers.value == [false, false])
  }
}
