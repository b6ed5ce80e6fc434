import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in caches and copies.
  static let caching = [
    PlantedBug(name: "cache: a slow read fills it after a write", symptom: "the cache has 1") { simulation, hasBug in
      let database = Note(1)
      let cache = Note<Int?>(nil)
      let version = Note(0)
      let slow = simulation.choose(among: [1, 10, 30])
      async let read: Void = {
        let begin = version.value
        let value = database.value
        try await simulation.clock.sleep(for: .milliseconds(slow))
        if hasBug || version.value == begin { cache.value = value }
      }()
      async let write: Void = {
        try await simulation.clock.sleep(for: .milliseconds(20))
        database.value = 2
        version.change { $0 += 1 }
        cache.value = nil
      }()
      _ = try await (read, write)
      if let value = cache.value, value != database.value { throw Failure("the cache has \(value)") }
    },
    PlantedBug(name: "cache stampede: no second look behind the lock", symptom: "loaded 2 times") {
      simulation, hasBug in
      let cache = Cache(clock: simulation.clock, hasBug: hasBug)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          let delay = simulation.choose(among: [0, 20, 40])
          group.addTask {
            try await simulation.clock.sleep(for: .milliseconds(delay))
            await cache.read()
          }
        }
        try await group.waitForAll()
      }
      let loads = await cache.loads
      if loads > 1 { throw Failure("loaded \(loads) times") }
    },
    PlantedBug(name: "token refresh: two refresh with the same token", symptom: "the session is revoked") {
      simulation, hasBug in
      let server = TokenServer()
      let client = TokenClient(server: server, clock: simulation.clock, hasBug: hasBug)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          let delay = simulation.choose(among: [0, 10, 30])
          group.addTask {
            try await simulation.clock.sleep(for: .milliseconds(delay))
            try await client.refresh(ifToken: 0)
          }
        }
        try await group.waitForAll()
      }
      if server.isRevoked.value { throw Failure("the session is revoked") }
    },
    PlantedBug(name: "autosave: closing does not wait for the save in flight", symptom: "was saved last") {
      simulation, hasBug in
      let saved = Note("")
      let slow = [simulation.choose(among: [10, 60]), simulation.choose(among: [10, 60])]
      let save: @Sendable (String, Int) -> JournalStore.Effect = { text, index in
        .task {
          // The server stores the text regardless of the client's result.
          await Task { try? await simulation.clock.sleep(for: .milliseconds(slow[index])) }.value
          saved.value = text
          return .none
        }
      }
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.milliseconds(300)), save("draft", 0)).id("save"))
      await simulation.clock.advance(by: .milliseconds(simulation.choose(among: [290, 320])))
      if hasBug {
        await store.run(save("final", 1))
      } else {
        await store.run(
          save("final", 1).id("save", .replaceAfterCleanup))
      }
      await simulation.clock.advance(by: .seconds(1))
      if saved.value != "final" { throw Failure("\"\(saved.value)\" was saved last") }
    },
    PlantedBug(name: "saga: a step is noted for undo after a suspension", symptom: "charged and not refunded") {
      simulation, hasBug in
      let balance = Note(0)
      let clock = simulation.clock
      let store = simulation.store(Journal(), env: ())
      let charge: @Sendable () async throws -> Void = {
        try await clock.sleep(for: .milliseconds(10))
        balance.change { $0 += 1 }
      }
      let refund: @Sendable () -> Void = { balance.change { $0 -= 1 } }
      let ship = JournalStore.Effect.task {
        try await clock.sleep(for: .milliseconds(30))
        throw Failure("sold out")
      }
      let saga: JournalStore.Effect =
        hasBug
        ? .task {
          var undo: [@Sendable () -> Void] = []
          do {
            try await charge()
            try await clock.sleep(for: .milliseconds(5))
            undo.append(refund)
            try await clock.sleep(for: .milliseconds(30))
            throw Failure("sold out")
          } catch {
            for step in undo { step() }
          }
          return .none
        }
        : .sequence(
          .task {
            try await charge()
            return .none
          }.compensate(
            with: .task {
              refund()
              return .none
            }), ship)
      let handle = store.receive(saga)
      try await clock.sleep(for: .milliseconds(simulation.choose(among: [100, 5, 12, 25])))
      handle.cancel()
      await simulation.clock.advance(by: .seconds(1))
      if balance.value != 0 { throw Failure("charged and not refunded") }
    },
  ]
}

private actor Cache {
  private var value: Int?
  private var lock: Task<Void, Never>?
  private(set) var loads = 0
  private let clock: TestClock
  private let hasBug: Bool

  init(clock: TestClock, hasBug: Bool) {
    self.clock = clock
    self.hasBug = hasBug
  }

  func read() async {
    if value != nil { return }
    let previous = lock
    let own = Task {
      await previous?.value
      await fill()
    }
    lock = own
    await own.value
  }

  private func fill() async {
    if !hasBug, value != nil { return }
    loads += 1
    try? await clock.sleep(for: .milliseconds(10))
    value = 1
  }
}

private struct TokenServer: Sendable {
  let current = Note(0)
  let isRevoked = Note(false)

  func refresh(_ token: Int) -> Int {
    if token != current.value { isRevoked.value = true }
    current.change { $0 += 1 }
    return current.value
  }
}

private actor TokenClient {
  private var token = 0
  private var refreshing: Task<Int, any Error>?
  private let server: TokenServer
  private let clock: TestClock
  private let hasBug: Bool

  init(server: TokenServer, clock: TestClock, hasBug: Bool) {
    self.server = server
    self.clock = clock
    self.hasBug = hasBug
  }

  func refresh(ifToken expired: Int) async throws {
    guard token == expired else { return }
    if !hasBug, let refreshing {
      _ = try await refreshing.value
      return
    }
    let (server, clock, old) = (server, clock, token)
    let own = Task {
      try await clock.sleep(for: .milliseconds(20))
      return server.refresh(old)
    }
    refreshing = own
    token = try await own.value
    refreshing = nil
  }
}
