import Foundation
import Observation
import Testing

@testable import AsyncStore

@Suite("An update that answers with a value")
struct UpdatingTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("An update is one commit, done when it returns, and returns the result of its body")
  func answers() {
    let store = harness.store()
    let ticket = store.update { state in
      state.count += 1
      state.log.append("\(state.count)")
      return state.count
    }
    #expect(ticket == 1)
    #expect(store.state == Journal(count: 1, log: ["1"]))
  }

  @Test("An inactive store answers an update with nil, and the body never runs")
  func inactive() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.deactivate()
    let hasRun = Note(false)
    #expect(store.update { _ in hasRun.value = true } == nil)
    #expect(!hasRun.value)
    #expect(recorder.lines.last?.hasPrefix("ignored update") == true)
    store.activate()
    #expect(store.update { $0.count } == 0)
  }

  @Test("An update whose body throws commits nothing, tells nobody, and keeps the error's type")
  func throwing() {
    let recorder = Recorder()
    let store = harness.store(Journal(log: ["0"]), instrument: recorder)
    let seen = Note<[Int]>([])
    store.bind(id: "b", to: \.count) { count in
      seen.change { $0.append(count) }
      return .none
    }
    let events = recorder.lines.count
    do throws(Failure) {
      _ = try store.update { state throws(Failure) in
        state.count = 1
        state.log.append("1")
        throw Failure("x")
      }
      Issue.record("it has not thrown")
    } catch {
      #expect(error == Failure("x"))
    }
    #expect(store.state == Journal(log: ["0"]))
    #expect(seen.value == [0])
    #expect(recorder.lines.count == events)
    store.deactivate()
  }

  @Test("An update whose body could throw and does not commits all of it")
  func throwingNothing() throws {
    let store = harness.store()
    let answer = try store.update { state throws in
      if state.count > 0 { throw Failure("taken") }
      state.count = 7
      return "free"
    }
    #expect(answer == "free")
    #expect(store.count == 7)
    #expect(throws: Failure("taken")) {
      try store.update { state throws in
        if state.count > 0 { throw Failure("taken") }
      }
    }
  }

  @Test(
    "Bindings, streams and tracking are notified before an update returns, and the instrument gets its place")
  func observers() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    let changes = Note(0)
    store.bind(id: "b", to: \.count) { .set(\.other, to: $0 * 2) }
    withObservationTracking {
      _ = store.other
    } onChange: {
      changes.change { $0 += 1 }
    }
    #expect(store.update { $0.count += 1 } != nil)
    #expect(store.other == 2)
    #expect(changes.value == 1)
    let committed = recorder.events.map(\.description).filter { $0.hasPrefix("committed update (") }
    #expect(committed.count == 1)
    #expect(committed.first?.contains("UpdatingTests.swift:") == true)
    store.deactivate()
  }

  @Test("An update's answer may be optional, and differs from that of an inactive store")
  func optionalAnswer() {
    let store = harness.store()
    let missing: String?? = store.update { $0.log.last }
    #expect(missing == .some(nil))
    store.deactivate()
    let inactive: String?? = store.update { $0.log.last }
    #expect(inactive == .none)
  }

  @Test("An update whose body calls its own store traps and says what to do")
  func reentrancy() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: ())
      _ = store.update { _ in store.update { $0.count } }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("called the store itself"))
  }

  // MARK: On an actor

  @Test("On the store's actor, an update commits before it returns")
  func onTheActor() throws {
    let desk = Desk()
    let store = harness.store(isolation: desk)
    let answers = try harness.wait {
      await desk.run { desk in
        let first = store.update { state in
          desk.assertIsolated()
          state.count += 1
          return state.count
        }
        // The call is in a function that does not know which actor it runs on.
        return [first, Self.next(store)]
      }
    }
    #expect(answers == [1, 2])
    #expect(store.count == 2)
  }

  private static func next(_ store: JournalStore) -> Int? {
    store.update { state in
      state.count += 1
      return state.count
    }
  }

  @Test("An update in main-actor code counts as one on the main actor")
  @MainActor
  func onTheMainActor() {
    let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
    #expect(Self.next(store) == 1)
  }

  private func says(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("Off the store's actor, an update traps, names the actor and says what to do")
  func offTheActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: (), isolation: Desk())
      _ = store.update { $0.count }
    }
    let words = says(result)
    #expect(words.contains("called off the store's actor, Desk. Await that actor, or use `receive`."), "\(words)")
    #expect(words.contains("UpdatingTests.swift:"), "\(words)")
  }

  @Test("Off the main actor, an update traps in a task and on a thread", arguments: [false, true])
  func offTheMainActor(isOnThread: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isOnThread] in
      let store = JournalStore(state: Journal(), env: (), isolation: MainActor.shared)
      let call: @Sendable () -> Void = { _ = store.update { $0.count } }
      if isOnThread { Foundation.Thread.detachNewThread(call) } else { await Task.detached(operation: call).value }
      // The process ends before.
      while true { await store.run(.sleep(.seconds(60))) }
    }
    let words = says(result)
    #expect(words.contains("called off the store's actor, MainActor. Await that actor"), "\(words)")
  }
}
