// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Recipes.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Recipes.md")
struct AsyncStoreAsyncStoreRecipesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Recipes.md yields what its comments say") func snippet1() async throws {
    struct Cache: Sendable {
      var results: [String: Result<String, any Error>] = [:]
    }
    typealias CacheStore = AsyncStore<Cache, @Sendable (String) async throws -> String>

    @Sendable func load(_ key: String) -> CacheStore.Effect {
      .perform { fetch in
        let value = try await fetch(key)
        return .set { $0.results[key] = .success(value) }
      }
      .recover { error in .set { $0.results[key] = .failure(error) } }
    }

    @Sendable func value(_ key: String, in cache: CacheStore) async throws -> String {
      if case .success(let value) = cache.results[key] { return value }
      let id = EffectID("load").appending(key)
      cache.receive(load(key).id(id, .keepFirst))
      await cache.run(.join(id))
      try Task.checkCancellation()
      // Without a result the load was cancelled, or the store is not active.
      guard let result = cache.results[key] else { throw CancellationError() }
      return try result.get()
    }

    try await simulate { simulation in
      let fetches = CounterStore(state: Counter(), env: service)
      let cache: CacheStore = simulation.store(Cache(), env: { key in
        fetches.receive(.set { $0.count += 1 })
        try await simulation.clock.sleep(for: .seconds(1))
        return "the value of \(key)"
      })
      let callers = (1...3).map { _ in Task { try await value("a", in: cache) } }
      await simulation.clock.advance(by: .milliseconds(500))
      callers[0].cancel()
      let answer = try await callers[1].value
      #expect(answer == "the value of a")
      #expect(try await callers[2].value == answer)
      #expect(fetches.count == 1)
    }
  }

  @Test("Snippet 2 of Recipes.md yields what its comments say") func snippet2() async throws {
    @Sendable func later(_ delay: Duration, id: EffectID, _ effect: CounterStore.Effect) -> CounterStore.Effect {
      .timer(delay, id: id) { _ in .concatenate(effect, .cancel(id)) }
    }

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.set(\.user, to: "Ada"))
      store.receive(later(.seconds(60), id: EffectID("expiry").appending("user"), .set(\.user, to: nil)))
      await simulation.clock.advance(by: .seconds(59))
      #expect(store.user == "Ada")
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.user == nil)
      #expect(store.inFlight.isEmpty == true)
    }
  }

  @Test("Snippet 3 of Recipes.md yields what its comments say") func snippet3() async throws {
    @Sendable func limited(_ call: CounterStore.Effect) -> CounterStore.Effect {
      call.finally(.sleep(.seconds(1))).id("permit", .atMost(2))
    }

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      for number in 1...5 { store.receive(limited(.append("call \(number)", to: \.items))) }
      #expect(store.items.count == 2)
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.items.count == 4)
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.items.count == 5)
      await simulation.clock.run()
      #expect(store.inFlight.isEmpty == true)
    }
  }

  @Test("Snippet 4 of Recipes.md yields what its comments say") func snippet4() async throws {
    @Sendable func mayCall(_ store: CounterStore) -> Bool {
      let permit = store.receive(.sleep(.seconds(1)).id("rate", .atMost(2, capacity: 0)))
      return permit.outcomeIfSettled == nil
    }

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let first = (1...3).map { _ in mayCall(store) }
      #expect(first == [true, true, false])
      await simulation.clock.advance(by: .seconds(1))
      let next = mayCall(store)
      await simulation.clock.run()
      #expect(next == true)
    }
  }

  @Test("Snippet 5 of Recipes.md yields what its comments say") func snippet5() async throws {
    @Sendable func job(_ number: Int) -> CounterStore.Effect {
      let work = CounterStore.Effect.sequence(.sleep(.seconds(1)), .append("job \(number)", to: \.items))
      return work.id("workers", .atMost(2)).id(EffectID("job").appending(number))
    }

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      for number in 1...9 { store.receive(job(number)) }
      store.receive(.cancel(EffectID("job").appending(1)))  // runs, and leaves its place to the next
      store.receive(.cancel(EffectID("job").appending(4)))  // waits, and never begins
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.items == ["job 2", "job 3"])
      store.receive(.cancel(prefix: "job"))
      for number in 10...14 { store.receive(job(number)) }
      let cancelled = try await store.shutdown(drain: .milliseconds(1_500))
      #expect(store.items == ["job 2", "job 3", "job 10", "job 11"])
      #expect(cancelled.contains { $0.identifier == EffectID("job").appending(14) } == true)
    }
  }

  @Test("Snippet 6 of Recipes.md yields what its comments say") func snippet6() async throws {
    struct Job: Sendable {
      var number: Int
      var priority: Int
    }
    struct Jobs: Sendable {
      var waiting: [Job] = []
      var running: Set<Int> = []
      var done: [Int] = []
    }
    typealias JobStore = AsyncStore<Jobs, UserService>

    @Sendable func name(of number: Int) -> EffectID { EffectID("job").appending(number) }

    let worker: JobStore.Effect = .update { jobs in
      guard !jobs.waiting.isEmpty else { return .none }
      let number = jobs.waiting.removeFirst().number
      jobs.running.insert(number)
      let work = JobStore.Effect.sequence(.sleep(.seconds(1)), .append(number, to: \.done))
      return .read { jobs in jobs.running.contains(number) ? work : .none }
        .finally(.set { $0.running.remove(number) })
        .id(name(of: number))
    }

    @Sendable func submit(_ job: Job) -> JobStore.Effect {
      .concatenate(
        .set { jobs in
          let place = jobs.waiting.firstIndex { $0.priority < job.priority }
          jobs.waiting.insert(job, at: place ?? jobs.waiting.endIndex)
        },
        worker.id("workers", .atMost(2)))
    }

    @Sendable func cancel(_ number: Int) -> JobStore.Effect {
      .concatenate(
        .set { jobs in
          jobs.waiting.removeAll { $0.number == number }
          jobs.running.remove(number)
        },
        .cancel(name(of: number)))
    }

    try await simulate { simulation in
      let store = simulation.store(Jobs(), env: service)
      for number in 1...6 { store.receive(submit(Job(number: number, priority: number / 3))) }
      #expect(store.running == [1, 2])
      #expect(store.waiting.map(\.number) == [6, 3, 4, 5])
      store.receive(cancel(3))
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.running == [6, 4])
      let cancelled = try await store.shutdown(drain: .milliseconds(500))
      #expect(cancelled.compactMap(\.identifier).contains(name(of: 6)) == true)
      #expect(store.done == [1, 2])
      #expect(store.running.isEmpty == true)
      #expect(store.waiting.map(\.number) == [5])
    }
  }

  @Test("Snippet 7 of Recipes.md yields what its comments say") func snippet7() async throws {
    let pause: CounterStore.Effect = .sleep(.seconds(1e9)).id("pause", .keepFirst)
    let resume: CounterStore.Effect = .cancel("pause")
    let poll: CounterStore.Effect = .concatenate(.join("pause"), .perform { service in
      let user = try await service.user()
      return .set {
        $0.message = user
        $0.count += 1
      }
    })

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.timer(.seconds(1), id: "polls") { _ in poll.id("poll", .keepFirst) })
      await simulation.clock.advance(by: .seconds(3))
      #expect(store.count == 3)
      store.receive(pause)
      await simulation.clock.advance(by: .seconds(60))
      #expect(store.count == 3)
      store.receive(resume)
      await simulation.settle()
      store.deactivate()
      #expect(store.count == 4)
    }
  }

  @Test("Snippet 8 of Recipes.md yields what its comments say") func snippet8() async throws {
    @Sendable func use(_ user: String) -> CounterStore.Effect {
      let session = EffectID("session").appending(user)
      return .concatenate(
        .set { if !$0.items.contains(user) { $0.items.append(user) } },
        .timer(.seconds(1_800), id: session) { _ in
          .concatenate(.set { $0.items.removeAll { $0 == user } }, .cancel(session))
        })
    }
    let end: CounterStore.Effect = .concatenate(.cancel(prefix: "session"), .set { $0.items = [] })

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      await store.run(use("ann"))
      await store.run(use("bob"))
      await simulation.clock.advance(by: .seconds(1_200))
      store.receive(use("ann"))
      await simulation.clock.advance(by: .seconds(600))
      #expect(store.items == ["ann"])
      await simulation.clock.advance(by: .seconds(1_200))
      #expect(store.items.isEmpty == true)
      store.receive(use("cat"))
      store.receive(end)
      #expect(store.items.isEmpty == true)
      #expect(store.inFlight.isEmpty == true)
    }
  }

  @Test("Snippet 9 of Recipes.md yields what its comments say") func snippet9() async throws {
    struct Partner: Sendable {
      var failures = 0
      var isOpen = false
    }
    struct Refused: Error {}
    typealias PartnerStore = AsyncStore<Partner, UserService>

    let noteFailure: PartnerStore.Effect = .set { partner in
      partner.failures += 1
      if partner.failures >= 3 { partner.isOpen = true }
    }

    @Sendable func guarded(_ call: PartnerStore.Effect) -> PartnerStore.Effect {
      .read { partner in
        guard !partner.isOpen else { return .task { throw Refused() } }
        return .sequence(call, .set(\.failures, to: 0)).recover { error in
          .concatenate(noteFailure, .task { throw error })
        }
      }
    }

    try await simulate { simulation in
      let partner = simulation.store(Partner(), env: service)
      partner.bind(id: "breaker", to: \.isOpen, strategy: .latest) { isOpen in
        guard isOpen else { return .none }
        return .timer(.seconds(30), id: "pause") { _ in
          .set { partner in
            partner.isOpen = false
            partner.failures = 2
          }
        }
      }
      let call = guarded(.perform { service in try await service.fail(); return .none })
      for _ in 1...3 { await partner.run(call) }
      let refused = await partner.run(call)
      #expect("\(refused)".contains("Refused") == true)
      await simulation.clock.advance(by: .seconds(30))
      #expect(partner.isOpen == false)
      #expect(partner.failures == 2)
      let tried = await partner.run(call)
      #expect("\(tried)".contains("Unavailable") == true)
      partner.receive(.cancel("breaker"))
      #expect(partner.isOpen == true)
    }
  }

  @Test("Snippet 10 of Recipes.md yields what its comments say") func snippet10() async throws {
    struct Busy: Error { var retryAfter: Duration }

    @Sendable func patient(_ call: CounterStore.Effect, attempts: Int) -> CounterStore.Effect {
      .sequence(call).recover { error in
        guard let busy = error as? Busy, attempts > 1 else { return .task { throw error } }
        return .concatenate(.sleep(busy.retryAfter), patient(call, attempts: attempts - 1))
      }
    }

    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let call: CounterStore.Effect = .update { state in
        state.count += 1
        return state.count < 3 ? .task { throw Busy(retryAfter: .seconds(10)) } : .set(\.message, to: "done")
      }
      let handle = store.receive(patient(call, attempts: 5))
      await simulation.clock.advance(by: .seconds(19))
      #expect(store.count == 2)
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.message == "done")
      let outcome = await handle.outcome
      #expect(outcome.isFinished == true)
    }
  }
}
