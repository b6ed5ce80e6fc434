import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The laws of a program's own effects and models")
struct LawKitTests {
  @Test("A debounced search and effects in stages keep the laws")
  func kept() async throws {
    let search = JournalStore.Effect.logTask("found").debounce(for: .milliseconds(300), id: "search")
    try await Laws.cancelLeavesNothing(state: Journal(), env: ()) { _, _ in search }
    try await Laws.settles(state: Journal(), env: ()) { _, _ in search }
    let stages = JournalStore.Effect.concatenate(
      .sleep(.seconds(1)), .logTask("a"), .merge(.logTask("b"), .logTask("c")))
    try await Laws.cancelLeavesNothing(state: Journal(), env: ()) { _, _ in stages }
  }

  @Test("The laws find an operation that makes others commit after its cancel, and one that a cancel does not end")
  func careless() async throws {
    let late = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await Laws.cancelLeavesNothing(state: Journal(), env: ()) { simulation, store in
          .task {
            Task {
              try await simulation.clock.sleep(for: .milliseconds(10))
              store.receive(.log("late"))
            }
            return .none
          }
        }
      })
    #expect(late.description.contains("The effect has committed after it was cancelled."))
    #expect(late.description.contains("@LawKitTests.swift:"))
    let deaf = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await Laws.cancelLeavesNothing(state: Journal(), env: ()) { _, _ in
          .task(id: "deaf") { await withUnsafeContinuation { (_: UnsafeContinuation<JournalStore.Effect, Never>) in } }
        }
      })
    #expect(deaf.description.contains("[deaf] task"))
  }

  @Test("The laws find a careless operation after many deadlines", arguments: [Exploration.seeds(500), .exhaustive()])
  func late(exploration: Exploration) async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await Laws.cancelLeavesNothing(exploration, state: Journal(), env: ()) { simulation, store in
          let careless = JournalStore.Effect.task {
            Task {
              try await simulation.clock.sleep(for: .seconds(1))
              store.receive(.log("late"))
            }
            return .none
          }
          return .concatenate(effects: (0..<12).map { _ in .sleep(.seconds(1)) } + [careless])
        }
      })
    #expect(failure.description.contains("The effect has committed after it was cancelled."))
  }

  @Test(
    "The laws find a commit that only a cancel in the middle of what follows a deadline reveals",
    arguments: [Exploration.seeds(500), .exhaustive()], [false, true])
  func inTheMiddle(exploration: Exploration, isDebounced: Bool) async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await Laws.cancelLeavesNothing(exploration, state: Journal(), env: ()) { _, store in
          let careless = JournalStore.Effect.task {
            Task {
              await switchPoint()
              store.receive(.log("late"))
            }
            return .none
          }
          if isDebounced { return careless.debounce(for: .milliseconds(300), id: "search") }
          return .concatenate(.sleep(.seconds(1)), careless)
        }
      })
    #expect(failure.description.contains("The effect has committed after it was cancelled."))
  }

  @Test("A debounced search keeps the laws if it is cancelled between any two jobs")
  func keptAtEachMoment() async throws {
    let search = JournalStore.Effect.logTask("found").debounce(for: .milliseconds(300), id: "search")
    let report = try await Laws.cancelLeavesNothing(.exhaustive(), state: Journal(), env: ()) { _, _ in search }
    #expect(report.isExhaustive)
  }

  @Test("The laws find an operation that never returns, and a timer that nobody cancels")
  func unsettled() async throws {
    let hanging = JournalStore.Effect.task {
      for await _ in AsyncStream<Never>(Never.self, { _ in }) {}; return .none
    }
    let deadlock = try await #require(
      throws: SimulationFailure.self,
      performing: { try await Laws.settles(state: Journal(), env: ()) { _, _ in hanging } })
    #expect(deadlock.description.contains("Deadlock: "))
    let timer = JournalStore.Effect.timer(.seconds(1), id: "forgotten") { _ in .none }
    let leak = try await #require(
      throws: SimulationFailure.self,
      performing: { try await Laws.settles(state: Journal(), env: ()) { _, _ in timer } })
    #expect(leak.description.contains("[forgotten] timer"))
  }

  @Test("The laws tell a pure update from one that counts its calls")
  func purity() throws {
    try Laws.updatesPurely(states: [0, 3], actions: [1, -1]) { (count: inout Int, step: Int) in count += step }
    let calls = Note(0)
    let failure = try #require(
      throws: SimulationFailure.self,
      performing: {
        try Laws.updatesPurely(states: [0], actions: [1]) { (count: inout Int, step: Int) in
          calls.change { $0 += 1 }
          count += step * calls.value
        }
      })
    #expect(failure.code == .law)
  }

  struct Settings: Codable, Equatable {
    var name: String
    var volume = 5
    private enum CodingKeys: CodingKey { case name }
  }

  @Test("The laws find what coding loses, and old data that is no longer read")
  func coding() throws {
    try Laws.roundTrips([Settings(name: "a")])
    #expect(throws: SimulationFailure.self) { try Laws.roundTrips([Settings(name: "a", volume: 7)]) }
    #expect(try Laws.decodes(Settings.self, from: [#"{"name":"a"}"#]) == [Settings(name: "a")])
    let failure = try #require(
      throws: SimulationFailure.self, performing: { try Laws.decodes(Settings.self, from: [#"{"title":"a"}"#]) })
    #expect(failure.description.contains(#"{"title":"a"}"#))
  }

  /// The checks, each of nothing.
  enum EmptyCheck: String, CaseIterable {
    case values, texts, states, actions

    func perform() throws {
      let update = { (count: inout Int, step: Int) in count += step }
      switch self {
      case .values: try Laws.roundTrips([Int]())
      case .texts: try Laws.decodes(Int.self, from: [])
      case .states: try Laws.updatesPurely(states: [], actions: [1], update)
      case .actions: try Laws.updatesPurely(states: [1], actions: [], update)
      }
    }
  }

  @Test("A check of the laws over nothing traps, because it would pass", arguments: EmptyCheck.allCases)
  func nothing(check: EmptyCheck) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = check.rawValue as String] in
      try LawKitTests.EmptyCheck(rawValue: name)?.perform()
    }
    #expect(errorText(of: result).contains("A check of no \(check) would find nothing; try at least one."))
  }
}
