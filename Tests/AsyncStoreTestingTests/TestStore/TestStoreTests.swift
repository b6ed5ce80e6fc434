import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("A test store")
struct TestStoreTests {
  typealias SearchStore = AsyncStore<Search, Void>

  struct Search: Sendable, Equatable {
    var query = ""
    var isLoading = false
    var results: [String] = []
  }

  /// A type-ahead: the search follows the last key by 300 ms, and takes another 100.
  static func typed(_ query: String) -> SearchStore.Effect {
    .concatenate(
      .set(\.query, to: query),
      .concatenate(
        .sleep(.milliseconds(300)),
        .set(\.isLoading, to: true),
        .sleep(.milliseconds(100)).label("request"),
        .set {
          $0.isLoading = false
          $0.results = [query.uppercased()]
        }
      ).id("search"))
  }

  /// A value that calls a store when it is released; two of the same number are equal.
  final class Token: Sendable, Equatable {
    let number: Int
    private let whenReleased: @Sendable () -> Void
    init(_ number: Int, whenReleased: @escaping @Sendable () -> Void = {}) {
      self.number = number
      self.whenReleased = whenReleased
    }
    deinit { whenReleased() }
    static func == (left: Token, right: Token) -> Bool { left.number == right.number }
  }

  struct Holder: Sendable, Equatable {
    var token: Token?
    var releases = 0
  }

  @Test("An asserted state may commit to the store when it is let go of")
  func assertedStateCommits() async {
    await #expect(processExitsWith: .success) {
      try await simulate { simulation in
        let store = simulation.testStore(Holder(), env: ())
        let count: @Sendable () -> Void = { [weak store] in
          store?.receive(.set { $0.releases += 1 })
        }
        store.receive(.set { [token = Token(1, whenReleased: count)] in $0.token = token })
        store.expect { $0.token = Token(1) }
        store.receive(.set(\.token, to: nil))
        store.expect { $0.token = nil }
        store.expect { $0.releases = 1 }
      }
    }
  }

  @Test("A change that observers are not notified of has to be asserted like a commit", arguments: [false, true])
  func silentChange(isAsserted: Bool) async throws {
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let store = simulation.testStore(Search(), env: ())
      store.receive(.setSilently({ $0.query = "swift" }, #fileID, #line))
      if isAsserted { store.expect { $0.query = "swift" } }
    }
    if isAsserted {
      try await simulate(body)
    } else {
      await withKnownIssue { try await simulate(body) }
    }
  }

  @Test("A commit whose value was asserted is not too early for the next one")
  func commitsAfterCommits() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Journal(), env: ())
      store.receive(.concatenate(.log("1"), .sleep(.seconds(1)), .log("2")))
      store.expect { $0.log = ["1"] }
      store.expect(.begun(.kind(.sleep)))
      await store.expect(.committed(.any), after: .seconds(1))
      store.expect { $0.log = ["1", "2"] }
    }
  }

  @Test("A test store is satisfied where everything has been asserted")
  func everything() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Search(), env: ())
      store.receive(Self.typed("s"))
      store.expect { $0.query = "s" }
      store.expect(.begun("search"))
      store.expectInFlight("search")
      store.expectDue("search", at: .milliseconds(300))
      await simulation.clock.advance(by: .milliseconds(100))

      store.receive(Self.typed("sw"))
      store.expect { $0.query = "sw" }
      store.expect(.cancelled("search"), .begun("search"), at: .milliseconds(100))
      await store.expect(.settled("search"), after: .milliseconds(300))
      store.expect { $0.isLoading = true }
      store.expect(.begun("request"))
      store.expectInFlight(.label("request"))
      await store.expect(.settled(.kind(.sleep)), after: .milliseconds(100))
      store.expect {
        $0.isLoading = false
        $0.results = ["SW"]
      }
      store.expectInFlight()
    }
  }

  @Test("A test store finds effects by every identifier around them, and not by the nearest alone")
  func outerIdentifiers() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      store.receive(.task { .set { $0 = 1 } }.debounce(for: .seconds(1), id: "key").id("search"))
      store.expect(.begun("search"))
      await simulation.clock.run()
      store.expect(.begun("search"))
      store.expect { $0 = 1 }
      store.expectAtMost(1, inFlight: "search")
    }
  }

  @Test("A test store tells a commit before an effect from one after it")
  func orderOfCommits() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      store.receive(.concatenate(.set { $0 = 1 }, .sleep(.seconds(1)).id("pause"), .set { $0 = 2 }))
      await simulation.clock.run()
      store.expect(.committed(.kind(.set)), .begun("pause"), .settled("pause"), .committed(.any))
      store.expect { $0 = 1 }
      store.expect { $0 = 2 }
    }
    try await expectIssue("This has not happened: begun pause") { store, simulation in
      store.receive(.concatenate(.sleep(.seconds(1)).id("pause"), .set { $0.query = "s" }))
      await simulation.clock.run()
      store.expect(.committed(.any), .begun("pause"))
      store.expect(.begun("pause"))
      store.expect { $0.query = "s" }
    }
  }

  @Test("A test store counts how many operations were in flight at once")
  func atOnce() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: (), exhaustivity: .off)
      let download: @Sendable (Int) -> AsyncStore<Int, Void>.Effect = { number in
        .task {
          try await simulation.clock.sleep(for: .seconds(number))
          return .set { $0 += 1 }
        }
      }
      store.receive(.merge(effects: (1...10).map(download), limit: 3).id("download"))
      await simulation.clock.run()
      store.expectAtMost(3, inFlight: "download")
      store.expect { $0 = 10 }
    }
  }

  @Test("With exhaustivity off, a test store counts from the call on what is to happen after some time")
  func unassertedBefore() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: (), exhaustivity: .off)
      for number in 1...2 {
        store.receive(.concatenate(.sleep(.seconds(1)).id("pause"), .set { $0 = number }))
        await store.expect(.settled("pause"), after: .seconds(1))
        store.expect { $0 = number }
        store.receive(.sleep(.seconds(1)).id("pause"))
        await simulation.clock.run()
      }
    }
  }

  @Test("A test store tells the cancel of an operation from its end")
  func cancelAndEnd() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      store.receive(
        .task(id: "stubborn") {
          try? await simulation.clock.sleep(for: .seconds(10))
          await switchPoint()
          return .set { $0 = 1 }
        })
      store.expect(.begun("stubborn"))
      await simulation.settle()
      store.receive(.cancel("stubborn"))
      store.expect(.cancelled("stubborn"))
      store.expectInFlight("stubborn")
      await simulation.settle()
      store.expect(.settled("stubborn"))
      store.expectInFlight()
    }
  }

  /// The ways to wait, without an operation that runs.
  enum Wait: CaseIterable {
    case place, cleanup, window, backOff

    /// An effect that waits in this way once the simulation has settled.
    func effect(_ clock: TestClock) -> AsyncStore<Int, Void>.Effect {
      let work = AsyncStore<Int, Void>.Effect.task {
        // Not a child, and so not cancelled.
        await Task { try? await clock.sleep(for: .seconds(9)) }.value
        return .none
      }
      let failing = AsyncStore<Int, Void>.Effect.task { throw Failure("no") }
      return switch self {
      case .place: .merge(.sleep(.seconds(9)).id("work", .queue()), work.id("work", .queue()))
      case .cleanup: .merge(work.id("work"), .cancel("work"), work.id("work", .replaceAfterCleanup))
      case .window: .merge(.none.throttle(for: .seconds(9), id: "work"), work.throttle(for: .seconds(9), id: "work"))
      case .backOff: failing.retry(.constant(.seconds(9))).id("work")
      }
    }

    /// The number of effects that are cancelled: the one that waits, and the one that it waits for.
    var cancelCount: Int { self == .place || self == .cleanup ? 2 : 1 }
  }

  @Test("A test store sees the cancel of an effect that only waits", arguments: Wait.allCases)
  func cancelOfWait(_ wait: Wait) async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: (), exhaustivity: .off)
      store.receive(wait.effect(simulation.clock))
      await simulation.settle()
      store.receive(.cancel("work"))
      for _ in 0..<wait.cancelCount { store.expect(.cancelled("work")) }
      let others = store.log.withContent { $0.unassertedEvents.filter { $0.isOne(of: .cancelled("work")) } }
      #expect(others.map(\.description) == [])
      await simulation.clock.run()
    }
  }

  @Test("A cancelled sleep has settled too")
  func settledByCancel() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.receive(.cancel("pause"))
      store.expect(.begun("pause"), .cancelled("pause"), .settled("pause"))
    }
  }

  @Test("A test store finds an effect in flight for each pattern, whatever their order")
  func patternsInAnyOrder() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      let store = simulation.testStore(0, env: (), exhaustivity: .off)
      let sleep = AsyncStore<Int, Void>.Effect.sleep(.seconds(1))
      store.receive(
        .merge(sleep.id("first"), sleep.id("second"), .timer(.seconds(1), id: "third") { _ in .none }))
      store.expectInFlight(.any, .kind(.sleep), "first")
      store.expectInFlight("first", .kind(.sleep), .any)
    }
  }

  @Test("A test store asserts errors, refusals and what comes too late")
  func otherEvents() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ()) { _ in .set { $0 = -1 } }
      store.receive(.task { throw Failure("no") }.id("fails"))
      await simulation.settle()
      store.expect(.begun("fails"), .failed("fails"))
      store.expect { $0 = -1 }
      store.receive(.task { throw Failure("no") }.id("recovers").recover { _ in .set { $0 = 0 } })
      await simulation.settle()
      store.expect(.begun("recovers"), .recovered("recovers"))
      store.expect { $0 = 0 }
      store.receive(.sleep(.seconds(1)).id("first", .keepFirst))
      store.receive(.sleep(.seconds(1)).id("first", .keepFirst))
      store.expect(.begun(.id("first")), .dropped("first"))
      store.store.deactivate()
      store.expect(.cancelled(.any))
      store.receive(.set { $0 = 2 })
      store.expect(.ignored)
    }
  }

  @Test("A test store finds what was refused by its identifier, and by the beginning of that")
  func refusals() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: (), exhaustivity: .off)
      let page = EffectID("feed").appending(3)
      for pattern in [EffectPattern.id("feed"), .id(page), "feed"] {
        store.receive(.sleep(.seconds(1)).id(page, .keepFirst))
        store.receive(.sleep(.seconds(1)).id(page, .keepFirst))
        store.expect(.dropped(pattern))
        await simulation.clock.run()
      }
      for _ in 0..<2 { store.receive(.set { $0 += 1 }.throttle(for: .seconds(9), id: page, edges: .leading)) }
      store.expect(.dropped("feed"))
      await simulation.clock.run()
    }
  }

  @Test("A test store asserts commits that take place after it was active again")
  func reactivation() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      store.store.deactivate()
      store.store.activate()
      store.receive(.set { $0 = 2 })
      store.expect { $0 = 2 }
    }
  }

  // MARK: Failures

  @Test("A value that equals nothing, such as a NaN, is asserted by its bits, and is no change where they stay")
  func law16_notANumber() async throws {
    struct Reading: Sendable, Equatable {
      var count = 0
      var value = Double.nan
    }
    try await simulate { simulation in
      let store = simulation.testStore(Reading(), env: ())
      store.receive(.set(\.count, to: 1))
      store.expect { $0.count = 1 }
      store.receive(.set(\.count, to: 1))
      store.receive(.set(\.value, to: 2))
      store.expect { $0.value = 2 }
      store.receive(.set(\.value, to: .nan))
      store.expect { $0.value = .nan }
    }
  }

  @Test("A test store reports a commit that is another one, with a difference and with what is in flight")
  func wrongCommit() async throws {
    try await expectIssue("-   query: \"x\"", "+   query: \"s\"", "[search] sleep 0.3 seconds", "TestStoreTests.swift:")
    {
      store, _ in
      store.receive(Self.typed("s"))
      store.expect { $0.query = "x" }
      store.expect(.begun("search"))
      store.store.deactivate()
      store.expect(.cancelled("search"))
    }
  }

  @Test("A test store reports a commit that has not happened")
  func missingCommit() async throws {
    try await expectIssue("Every commit so far has been asserted", "+   query: \"x\"") { store, _ in
      store.expect { $0.query = "x" }
    }
  }

  @Test("A test store reports commits in between that were not asserted one by one")
  func intermediateCommit() async throws {
    try await expectIssue("-   isLoading: false", "+   isLoading: true", "committed and not asserted") { store, _ in
      store.receive(.concatenate(.set(\.isLoading, to: true), .set(\.isLoading, to: false)))
    }
  }

  @Test("A test store reports effects that have begun, and cancels, that were not asserted")
  func unassertedEvents() async throws {
    try await expectIssue("was not asserted", "begun [pause] sleep", "settled [pause] sleep 1.0 seconds", "cancelled") {
      store, _ in
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.receive(.cancel("pause"))
    }
  }

  @Test("A test store reports what has not happened, and what has happened instead")
  func wrongEvent() async throws {
    try await expectIssue("This has not happened: cancelled pause", "begun [pause] sleep") { store, simulation in
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.expect(.cancelled("pause"))
      store.expect(.begun("pause"))
      await simulation.clock.run()
    }
  }

  @Test("A test store reports what happens out of order, at another time, or too early")
  func wrongTime() async throws {
    try await expectIssue("This has not happened: begun pause") { store, simulation in
      store.receive(.sleep(.seconds(1)).id("pause"))
      await simulation.clock.run()
      store.expect(.settled("pause"), .begun("pause"))
      store.expect(.begun("pause"))
    }
    try await expectIssue("It did not happen at 2.0 seconds: 1.0 seconds: settled [pause]") { store, simulation in
      store.receive(.sleep(.seconds(1)).id("pause"))
      await simulation.clock.run()
      store.expect(.begun("pause"))
      store.expect(.settled("pause"), at: .seconds(2))
    }
    try await expectIssue("It happened before 2.0 seconds had passed: 1.0 seconds: settled [pause]") { store, _ in
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.expect(.begun("pause"))
      await store.expect(.settled("pause"), after: .seconds(2))
    }
  }

  @Test("A test store reports what is in flight and should not be, and the other way round")
  func wrongInFlight() async throws {
    try await expectIssue("This is in flight as well:\n  [pause] sleep 1.0 seconds", "This is not in flight: other") {
      store, simulation in
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.expect(.begun("pause"))
      store.expectInFlight()
      store.expectInFlight("pause", "other")
      await simulation.clock.run()
    }
    try await expectIssue("It is due at 1.0 seconds, and not at 2.0 seconds: pause") { store, simulation in
      store.receive(.sleep(.seconds(1)).id("pause"))
      store.expect(.begun("pause"))
      store.expectDue("pause", at: .seconds(2))
      await simulation.clock.run()
    }
  }

  @Test("A test store reports that too many effects were in flight at once")
  func tooMany() async throws {
    try await expectIssue("2 were in flight at once, and not at most 1: any") { store, simulation in
      store.receive(.merge(.task { .none }, .task { .none }))
      await simulation.settle()
      store.expect(.begun(.any), .begun(.any))
      store.expectAtMost(1, inFlight: .any)
    }
    try await expectIssue("3 were in flight at once, and not at most 2: sleep") { store, simulation in
      store.receive(.merge(effects: (1...3).map { .sleep(.seconds($0)) }))
      store.expectAtMost(2, inFlight: .kind(.sleep))
      await simulation.clock.run()
      store.expect(.begun(.any), .begun(.any), .begun(.any))
    }
  }

  @Test(
    "A test store fails under the schedules that an exploration finds",
    .filterIssues { issue in !issue.comments.contains { $0.rawValue.contains("The commit is not the expected one") } })
  func exploration() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.seeds(100)) { simulation in
          let store = simulation.testStore([String](), env: ())
          store.receive(.merge(.task { .set { $0.append("a") } }, .task { .set { $0.append("b") } }))
          await simulation.settle()
          store.expect(.begun(.any), .begun(.any))
          store.expect { $0 = ["a"] }
          store.expect { $0 = ["a", "b"] }
        }
      })
    #expect(failure.code == .failingSchedule)
    #expect(failure.description.contains("The commit is not the expected one"))
  }

  @Test(
    "A test store fails in one way under many schedules, whatever the values and the time, and shrinks",
    .filterIssues { issue in !issue.comments.contains { $0.rawValue.contains("The commit is not the expected one") } })
  func oneFailure() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await explore(.seeds(100)) { simulation in
          let store = simulation.testStore(0, env: ())
          for _ in 0..<4 { await simulation.clock.advance(by: .seconds(simulation.choose(among: [1, 2, 3]))) }
          let value = simulation.choose(among: [1, 2, 3])
          store.receive(.set { $0 = value })
          store.expect { $0 = 1 }
        }
      })
    #expect(failure.description.split(separator: "Replay it: ").count == 2, "one schedule")
    #expect(failure.schedule?.switchCount == 1)
  }

  private func expectIssue(
    _ words: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (TestStore<Search, Void>, Simulation) async -> Void
  ) async throws {
    try await expectIssues(containing: words, from: Search(), sourceLocation: sourceLocation, body)
  }
}
