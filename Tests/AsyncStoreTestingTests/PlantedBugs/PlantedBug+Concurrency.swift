import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in code that limits or shares work.
  static let concurrency = [
    PlantedBug(name: "semaphore: a cancelled waiter keeps its permit", symptom: "Deadlock") { _, hasBug in
      let semaphore = Semaphore(permits: 1, hasBug: hasBug)
      try await semaphore.acquire()
      let waiter = Task {
        try await semaphore.acquire()
        await semaphore.release()
      }
      async let release: Void = semaphore.release()
      async let cancel: Void = { waiter.cancel() }()
      _ = await (release, cancel, waiter.result)
      try await semaphore.acquire()
    },
    PlantedBug(name: "single flight: a suspension between look-up and entry", symptom: "loaded twice") {
      simulation, hasBug in
      let loads = SingleFlight(hasBug: hasBug)
      let clock = simulation.clock
      let current = Note(0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          let delay = simulation.choose(among: [0, 20, 40])
          group.addTask {
            try await clock.sleep(for: .milliseconds(delay))
            try await loads.load {
              current.change { $0 += 1 }
              if current.value > 1 { throw Failure("loaded twice at once") }
              try await clock.sleep(for: .milliseconds(10))
              current.change { $0 -= 1 }
            }
          }
        }
        try await group.waitForAll()
      }
    },
    PlantedBug(name: "circuit breaker: more than one probe", symptom: "probes at once") { simulation, hasBug in
      let breaker = CircuitBreaker(clock: simulation.clock, hasBug: hasBug)
      let probes = Note(0)
      await breaker.call { throw Failure("down") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for delay in [900, 1_100, 1_105] {
          group.addTask {
            try await simulation.clock.sleep(for: .milliseconds(delay))
            await breaker.call {
              probes.change { $0 += 1 }
              try await simulation.clock.sleep(for: .milliseconds(10))
              probes.change { $0 -= 1 }
            }
          }
        }
        group.addTask {
          try await simulation.clock.sleep(for: .milliseconds(1_108))
          if probes.value > 1 { throw Failure("\(probes.value) probes at once") }
        }
        try await group.waitForAll()
      }
    },
    PlantedBug(name: "rate limiter: the count changes after a suspension", symptom: "within a second") {
      simulation, hasBug in
      let limiter = RateLimiter(clock: simulation.clock, limit: 2, hasBug: hasBug)
      let granted = Note<[TestClock.Instant]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<5 {
          let delay = simulation.choose(among: [0, 300, 700, 1_200])
          group.addTask {
            try await simulation.clock.sleep(for: .milliseconds(delay))
            if let moment = await limiter.grant() { granted.change { $0.append(moment) } }
          }
        }
        try await group.waitForAll()
      }
      let moments = granted.value.sorted()
      for (first, third) in zip(moments, moments.dropFirst(2)) where first.duration(to: third) < .seconds(1) {
        throw Failure("three calls within a second")
      }
    },
    PlantedBug(name: "connection pool: a connection counts once it is open", symptom: "connections") {
      simulation, hasBug in
      let pool = ConnectionPool(limit: 2, clock: simulation.clock, hasBug: hasBug)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          let delay = simulation.choose(among: [0, 10, 30])
          group.addTask {
            try await simulation.clock.sleep(for: .milliseconds(delay))
            try await pool.open()
          }
        }
        try await group.waitForAll()
      }
      let count = await pool.opened
      if count > 2 { throw Failure("\(count) connections, and the limit is 2") }
    },
    PlantedBug(name: "connection pool: cancellation returns a connection in use", symptom: "used by two") {
      simulation, hasBug in
      let idle = Note([1])
      let used = Note<Set<Int>>([])
      let use: @Sendable () async throws -> Void = {
        guard let connection = idle.value.first else { return }
        idle.change { $0.removeFirst() }
        if used.value.contains(connection) { throw Failure("connection \(connection) is used by two") }
        used.change { $0.insert(connection) }
        await withTaskCancellationHandler {
          // The request does not end before its answer.
          await Task { try? await simulation.clock.sleep(for: .milliseconds(10)) }.value
        } onCancel: {
          if hasBug { idle.change { $0.append(connection) } }
        }
        used.change { $0.remove(connection) }
        if !hasBug || !Task.isCancelled { idle.change { $0.append(connection) } }
      }
      let first = Task { try await use() }
      try await simulation.clock.sleep(for: .milliseconds(simulation.choose(among: [20, 15, 5])))
      first.cancel()
      try await use()
      try await first.value
    },
  ]
}

private actor Semaphore {
  private var permits: Int
  private var waiters: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
  private var count = 0
  private let hasBug: Bool

  init(permits: Int, hasBug: Bool) {
    self.permits = permits
    self.hasBug = hasBug
  }

  func acquire() async throws {
    if permits > 0 { return permits -= 1 }
    count += 1
    let number = count
    let hasPermit = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiters.append((number, $0)) }
    } onCancel: {
      Task { await self.cancel(number) }
    }
    if !hasPermit { throw CancellationError() }
    if hasBug { try Task.checkCancellation() }
  }

  func release() {
    if waiters.isEmpty { permits += 1 } else { waiters.removeFirst().continuation.resume(returning: true) }
  }

  private func cancel(_ number: Int) {
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
    waiters.remove(at: index).continuation.resume(returning: false)
  }
}

private actor SingleFlight {
  private var flight: Task<Void, any Error>?
  private let hasBug: Bool

  init(hasBug: Bool) { self.hasBug = hasBug }

  func load(_ operation: @escaping @Sendable () async throws -> Void) async throws {
    if let flight { return try await flight.value }
    if hasBug { await switchPoint() }
    let own = Task { try await operation() }
    flight = own
    defer { flight = nil }
    try await own.value
  }
}

private actor CircuitBreaker {
  private enum State { case closed, open(until: TestClock.Instant), probing }

  private var state = State.closed
  private let clock: TestClock
  private let hasBug: Bool

  init(clock: TestClock, hasBug: Bool) {
    self.clock = clock
    self.hasBug = hasBug
  }

  func call(_ operation: @Sendable () async throws -> Void) async {
    switch state {
    case .closed: break
    case .probing: return
    case .open(let end):
      if clock.now < end { return }
      if !hasBug { state = .probing }
    }
    do {
      try await operation()
      state = .closed
    } catch {
      state = .open(until: clock.now.advanced(by: .seconds(1)))
    }
  }
}

private actor RateLimiter {
  private var granted: [TestClock.Instant] = []
  private let clock: TestClock
  private let limit: Int
  private let hasBug: Bool

  init(clock: TestClock, limit: Int, hasBug: Bool) {
    self.clock = clock
    self.limit = limit
    self.hasBug = hasBug
  }

  func grant() async -> TestClock.Instant? {
    granted.removeAll { $0.duration(to: clock.now) >= .seconds(1) }
    guard granted.count < limit else { return nil }
    if hasBug { await switchPoint() }
    let now = clock.now
    granted.append(now)
    return now
  }
}

private actor ConnectionPool {
  private(set) var opened = 0
  private let limit: Int
  private let clock: TestClock
  private let hasBug: Bool

  init(limit: Int, clock: TestClock, hasBug: Bool) {
    self.limit = limit
    self.clock = clock
    self.hasBug = hasBug
  }

  func open() async throws {
    guard opened < limit else { return }
    if !hasBug { opened += 1 }
    try await clock.sleep(for: .milliseconds(5))
    if hasBug { opened += 1 }
  }
}
