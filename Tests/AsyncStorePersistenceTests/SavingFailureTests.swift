import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

@Suite("A store whose saves fail")
struct SavingFailureTests {
  let storage = MemoryStorage()
  let store = LibraryStore()

  @Test("A failed save is reported, and tried again until it succeeds", .simulated())
  func failures() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    storage.fail(times: 3)
    try store.persist(\.self, in: storage, saving: .immediate, retry: .constant(.seconds(1))) { error in
      .set { if $0.problem == nil { $0.problem = "\(error.code == .notWritable) \(error.storage)" } }
    }
    store.receive(.append("one", to: \.books))
    await storage.written()
    #expect(store.problem == "true memory")
    #expect(store.books == ["one"])
  }

  @Test("A failed save is tried again when its retry schedule says", .simulated())
  func retries() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    storage.fail(times: 3)
    let persistence = try store.persist(\.self, in: storage, saving: .immediate, retry: .constant(.seconds(1)))
    store.receive(.append("one", to: \.books))
    await simulation.clock.advance(by: .milliseconds(2_999))
    #expect(persistence.lastFailure?.code == .notWritable)
    #expect(storage.writes.isEmpty)
    await simulation.clock.advance(by: .milliseconds(1))
    #expect(persistence.lastFailure == nil)
    #expect(storage.writes.count == 1)
  }

  @Test("A state that was given up is saved when it returns after another one was saved on demand", .simulated())
  func givenUpBefore() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    let persistence = try store.persist(
      \.self, in: storage, saving: .debounce(for: .seconds(1)), retry: .constant(.zero).limitedTo(attempts: 1))
    storage.fail(times: 1)
    store.receive(.set(\.books, to: ["one"]))
    await simulation.clock.advance(by: .seconds(1))
    #expect(storage.failures == 1)
    store.receive(.set(\.books, to: ["two"]))
    try persistence.save()
    store.receive(.set(\.books, to: ["one"]))
    await simulation.clock.advance(by: .seconds(1))
    #expect(try storage.value(Library.self)?.books == ["one"])
  }

  @Test("A throttled schedule has one failed save at a time that is tried again", .simulated())
  func retriesOfAThrottle() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    storage.fail(times: .max)
    try store.persist(\.self, in: storage, saving: .throttle(for: .seconds(1)), retry: .constant(.milliseconds(500)))
    var failures: [Int] = []
    for number in 1...8 {
      store.receive(.append("\(number)", to: \.books))
      let before = storage.failures
      await simulation.clock.advance(by: .seconds(1))
      failures.append(storage.failures - before)
    }
    #expect(failures.allSatisfy { $0 <= 3 }, "\(failures)")
  }

  @Test("The failure of the last save is kept when an older save is left out")
  func failureAfterALeftOutSave() throws {
    let (isEncoding, mayEncode) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let value = CallingValue(number: 1) {
      isEncoding.signal()
      mayEncode.wait()
    }
    let store = AsyncStore(state: value, env: ())
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? persistence.save()
      isDone.signal()
    }
    isEncoding.wait()
    store.receive(.set(\.number, to: 2))
    try persistence.save()
    store.receive(.set(\.number, to: 3))
    storage.fail(times: 1)
    #expect(throws: PersistenceError.self) { try persistence.save() }
    mayEncode.signal()
    isDone.wait()
    #expect(persistence.lastFailure?.code == .notWritable)
    #expect(storage.writes.count == 1)
  }

  @Test("A value that can't be encoded is not reported once a newer one has been saved")
  func encodingOvertaken() throws {
    let overtake = Mutex<(@Sendable () throws -> Void)?>(nil)
    let value = CallingValue(number: 1) {
      try overtake.withLock { $0 }?()
      throw MemoryStorage.Broken()
    }
    let store = AsyncStore(state: value, env: ())
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    overtake.withLock {
      $0 = { [weak store] in
        store?.receive(.set(\.number, to: 2))
        try persistence.save()
      }
    }
    try persistence.save()
    #expect(persistence.lastFailure == nil)
    #expect(storage.writes.count == 1)
    overtake.withLock { $0 = nil }
    store.receive(.set(\.number, to: 1))
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .notEncodable)
    #expect(persistence.lastFailure?.code == .notEncodable)
  }

  @Test("A value that can't be encoded is not reported once the persistence has been stopped", .simulated())
  func encodingStopped() async throws {
    let simulation = try #require(Simulation.current)
    let stop = Mutex<(@Sendable () -> Void)?>(nil)
    let value = CallingValue(number: 2) {
      stop.withLock { $0.take() }?()
      throw MemoryStorage.Broken()
    }
    let store = simulation.store(value, env: ())
    let failures = Mutex(0)
    let persistence = try store.persist(\.self, in: storage, saving: .immediate) { _ in
      failures.withLock { $0 += 1 }
      return .none
    }
    stop.withLock { $0 = { persistence.stop() } }
    store.receive(.set(\.number, to: 1))
    await simulation.clock.advance(by: .seconds(1))
    let hasStopped = stop.withLock { $0 == nil }
    #expect(hasStopped)
    #expect(failures.withLock { $0 } == 0)
    #expect(persistence.lastFailure == nil)
  }

  @Test("A store continues to save after a save has failed for good")
  func givingUp() async throws {
    storage.fail(times: 2)
    let (failed, failure) = AsyncStream.makeStream(of: Void.self)
    let persistence = try store.persist(
      \.self, in: storage, saving: .immediate, retry: .constant(.zero).limitedTo(attempts: 2)
    ) { _ in
      failure.yield()
      return .none
    }
    store.receive(.append("one", to: \.books))
    var failures = failed.makeAsyncIterator()
    for _ in 1...2 { await failures.next() }
    #expect(persistence.lastFailure?.code == .notWritable)
    #expect(storage.data == nil)
    store.receive(.append("two", to: \.books))
    await storage.written()
    #expect(try storage.value(Library.self)?.books == ["one", "two"])
    try persistence.save()
    #expect(persistence.lastFailure == nil)
  }

  @Test(
    "A save that was given up is not tried again for what its report commits beside the saved part",
    .simulated(), arguments: [true, false])
  func reportsOfFailures(isEncodable: Bool) async throws {
    let simulation = try #require(Simulation.current)
    let state = Reported()
    let store = simulation.store(state, env: ())
    storage.fail(times: 20)
    let persistence = try store.persist(
      \.number, in: storage, saving: .immediate, retry: .constant(.seconds(1)).limitedTo(attempts: 2)
    ) { _ in .set { $0.failures += 1 } }
    store.receive(.set(\.number, to: isEncodable ? 1 : .infinity))
    await simulation.clock.advance(by: .seconds(60))
    #expect(store.failures == 2)
    store.receive(.set(\.number, to: 2))
    await simulation.clock.advance(by: .seconds(60))
    #expect(store.failures == 4)
    #expect(persistence.lastFailure?.code == .notWritable)
    storage.fail(times: 0)
    store.deactivate()
    #expect(try storage.value(Double.self) == 2)
  }

  @Test("A changed value that can't be encoded is tried again after an earlier one was given up", .simulated())
  func changedAndNotEncodable() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Flaky(number: 0, failures: Flaky.Failures()), env: ())
    let failures = store.failures
    let reports = Mutex(0)
    try store.persist(
      \.self, in: storage, saving: .immediate, retry: .constant(.seconds(1)).limitedTo(attempts: 2)
    ) { _ in
      reports.withLock { $0 += 1 }
      return .none
    }
    failures.count.store(2, ordering: .relaxed)
    store.receive(.set(\.number, to: 1))
    await simulation.clock.advance(by: .seconds(60))
    #expect(reports.withLock { $0 } == 2)
    failures.count.store(1, ordering: .relaxed)
    store.receive(.set(\.number, to: 2))
    await simulation.clock.advance(by: .seconds(60))
    #expect(reports.withLock { $0 } == 3)
    #expect(try storage.value(Int.self) == 2)
  }

  @Test(
    "A value that can't be encoded is given up even if it can't be compared", .simulated(), arguments: [true, false])
  func incomparable(isNumber: Bool) async throws {
    let simulation = try #require(Simulation.current)
    let reports = Mutex(0)
    @Sendable func report<Value>(
      _ error: PersistenceError, _ property: WritableKeyPath<Value, Int> & Sendable
    ) -> AsyncStore<Value, Void>.Effect {
      reports.withLock { $0 += 1 }
      return .set { $0[keyPath: property] += 1 }
    }
    let retry = RetrySchedule.constant(.seconds(1)).limitedTo(attempts: 2)
    if isNumber {
      let store = simulation.store(Reported(), env: ())
      try store.persist(\.number, in: storage, saving: .immediate, retry: retry) { report($0, \.failures) }
      store.receive(.set(\.number, to: .nan))
    } else {
      let value = CallingValue(number: 1) { throw MemoryStorage.Broken() }
      let store = simulation.store(Called(value: value), env: ())
      try store.persist(\.value, in: storage, saving: .immediate, retry: retry) { report($0, \.failures) }
      store.receive(.set { $0.failures += 1 })
    }
    await simulation.clock.advance(by: .seconds(60))
    #expect(reports.withLock { $0 } == 2)
  }

  private struct Called: Sendable {
    var value: CallingValue
    var failures = 0
  }

  /// A value that can't be encoded as often as its failures say.
  private struct Flaky: Codable, Equatable, Sendable {
    final class Failures: Sendable {
      let count = Atomic(0)
    }

    var number: Int
    let failures: Failures

    init(number: Int, failures: Failures) { (self.number, self.failures) = (number, failures) }
    init(from decoder: any Decoder) throws {
      self.init(number: try decoder.singleValueContainer().decode(Int.self), failures: Failures())
    }

    func encode(to encoder: any Encoder) throws {
      if failures.count.load(ordering: .relaxed) > 0 {
        failures.count.subtract(1, ordering: .relaxed)
        throw MemoryStorage.Broken()
      }
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }

    static func == (left: Flaky, right: Flaky) -> Bool { left.number == right.number }
  }

  private struct Reported: Sendable {
    var number = 0.0
    var failures = 0
  }

  @Test(
    "A storage that calls `save`, `stop` or `deactivate` while it writes traps, and says what to do",
    arguments: ["save", "stop", "deactivate"])
  func callsFromStorage(call: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
      let (storage, store) = (CallingStorage(), LibraryStore())
      let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
      storage.onWrite {
        switch call {
        case "save": try? persistence.save()
        case "stop": persistence.stop()
        default: store.deactivate()
        }
      }
      store.receive(.append("one", to: \.books))
      try persistence.save()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("let the storage return first"))
  }

  @Test("A failed save on demand, or a failed last save, says why it failed")
  func failureOnDemand() throws {
    let persistence = try store.persist(\.self, in: storage)
    storage.fail(times: 2)
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .notWritable)
    store.deactivate()
    #expect(persistence.lastFailure?.code == .notWritable)
    try persistence.save()
    #expect(storage.writes.count == 1)
  }
}

/// A storage that calls a function while it writes.
private final class CallingStorage: Storage {
  let name = "calling"
  private let memory = MemoryStorage()
  private let call: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  func onWrite(_ body: @escaping @Sendable () -> Void) { call.withLock { $0 = body } }
  func read() -> Data? { memory.read() }
  func write(_ data: Data) throws {
    call.withLock { $0 }?()
    try memory.write(data)
  }
}

/// A number that calls a function before it is encoded, if it is 1.
private struct CallingValue: Codable, Sendable {
  private enum Key: CodingKey { case number }

  var number: Int
  private let call: @Sendable () throws -> Void

  init(number: Int, _ call: @escaping @Sendable () throws -> Void) { (self.number, self.call) = (number, call) }

  init(from decoder: any Decoder) throws {
    number = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .number)
    call = {}
  }

  func encode(to encoder: any Encoder) throws {
    if number == 1 { try call() }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(number, forKey: .number)
  }
}
