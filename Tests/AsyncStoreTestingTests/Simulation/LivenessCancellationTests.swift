import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("A cancelled wait for a condition")
struct LivenessCancellationTests {
  @Test("A cancelled wait for a condition ends at once, and no time passes for it")
  func waiting() async throws {
    try await explore(.seeds(200), jitter: .zero) { simulation in
      let isSleeping = Note(true)
      let ticking = Task { while isSleeping.value { try await simulation.clock.sleep(for: .seconds(60)) } }
      let failure = await #expect(throws: Failure.self) {
        async let waiting: Void = simulation.eventually { false }
        try await simulation.clock.sleep(for: .seconds(2))
        if isSleeping.value { throw Failure("beside the wait") }
        try await waiting
      }
      #expect(failure == Failure("beside the wait"))
      #expect(simulation.clock.now.offset == .seconds(2))
      isSleeping.value = false
      try await ticking.value
    }
  }

  @Test(
    "A cancelled wait ends at any moment, even while its condition is asked, whatever that returns",
    arguments: [false, true])
  func anyMoment(holds: Bool) async throws {
    let ends = Note<Set<Bool>>([])
    try await explore(.seeds(300), jitter: .zero) { simulation in
      let isCancelled = Note(false)
      let waiting = Task {
        try await simulation.eventually {
          for _ in 0..<3 { await switchPoint() }
          return holds
        }
      }
      Task {
        for _ in 0..<5 { await switchPoint() }
        isCancelled.value = true
        waiting.cancel()
      }
      let result = await waiting.result
      #expect(simulation.clock.now.offset == .zero)
      switch result {
      case .success: #expect(holds)
      case .failure(let error as SimulationFailure): #expect(!holds && !isCancelled.value, "\(error)")
      case .failure(let error): #expect(error is CancellationError && isCancelled.value)
      }
      let wasCancelled = if case .failure(is CancellationError) = result { true } else { false }
      ends.change { $0.insert(wasCancelled) }
    }
    #expect(ends.value.contains(true))
  }

  @Test("A wait for a condition is cancelled even if its condition becomes true at the same time")
  func conditionThatHolds() async throws {
    try await simulate { simulation in
      let waiting = Task {
        try await simulation.eventually {
          withUnsafeCurrentTask { $0?.cancel() }
          return true
        }
      }
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  @Test("A wait that was cancelled before asks no condition")
  func before() async throws {
    try await simulate { simulation in
      let count = Note(0)
      let waiting = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await simulation.eventually {
          count.change { $0 += 1 }
          return true
        }
      }
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(count.value == 0)
    }
  }

  @Test("A cancelled wait for a condition is no leak, neither of an effect nor of a host's body")
  func leaks() async throws {
    try await explore(.seeds(50)) { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(
        .task(id: "wait") {
          try await simulation.eventually { false }
          return .log("over")
        })
      let network = SimulatedNetwork<Int>()
      network.host("a") { _ in try await simulation.eventually { false } }
      try await simulation.clock.sleep(for: .milliseconds(10))
      store.receive(.cancel("wait"))
      network.crash("a")
      #expect(store.log.isEmpty)
    }
  }

  @Test("A cancelled wait leaves the schedule as it is without it, and lets others run if it is repeated")
  func fairness() async throws {
    try await simulate(seed: 7) { simulation in
      let waiting = Task {
        for _ in 0..<10 { try? await simulation.eventually { false } }
      }
      let running = Task { for _ in 0..<10 { await switchPoint() } }
      waiting.cancel()
      await waiting.value
      await running.value
      let count = simulation.schedule.count
      await withTaskGroup { group in
        for _ in 0..<10 { group.addTask {} }
      }
      #expect(simulation.schedule.count > count)
      #expect(simulation.clock.now.offset == .zero)
    }
  }

  @Test("After a cancelled wait the others are asked again, and the outer one ends with an inner one")
  func others() async throws {
    try await explore(.seeds(200), jitter: .zero) { simulation in
      let isSet = Note(false)
      let (outer, inner) = (Note(0), Note(0))
      let cancelled = Task {
        try await simulation.eventually {
          outer.change { $0 += 1 }
          try await simulation.eventually {
            inner.change { $0 += 1 }
            return false
          }
          return true
        }
      }
      let other = Task { try await simulation.eventually { isSet.value } }
      try await simulation.clock.sleep(for: .seconds(1))
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(outer.value == 1)
      #expect(inner.value > 0)
      isSet.value = true
      try await other.value
      #expect(simulation.clock.now.offset == .seconds(1))
    }
  }
}
