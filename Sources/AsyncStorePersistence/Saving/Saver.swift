import AsyncStore
import Foundation
import Synchronization

/// A writer of values to a storage.
///
/// A saver never replaces a value with an older one, and never overwrites the data of others.
final class Saver<Value: Codable & Sendable>: Sendable {
  /// The known content of the storage.
  ///
  /// Before a value is written, or reported as saved, the storage is read:
  ///
  /// | in the storage | what follows |
  /// |---|---|
  /// | `saved`, confirmed, and equal to the value to save | nothing |
  /// | `saved`, the failed `attempt`, or nothing | the value is written |
  /// | other data, damaged | the value is written, and the damaged data kept aside |
  /// | other data, intact | an error: others wrote it |
  private struct State {
    var lock: StorageLock?
    /// The data that was last read or written.
    var saved: Data?
    /// The data that a failed write may have left.
    var attempt: Data?
    /// The number of the newest value in the storage.
    var newest = 0
    /// The content that could not be saved after a change, and whether the saver has given up on it.
    var failed: (content: Content, isGivenUp: Bool)?
  }

  private enum Phase: UInt8, AtomicRepresentable { case running, suspended, stopped, crashed }

  /// The reason for a save, which determines until when it may begin.
  enum Occasion {
    /// A change: until saving is suspended.
    case change
    /// The end of the store: until saving is stopped.
    case end
    /// A call of `save()`: always, except after the crash of a simulated host.
    case demand
  }

  private let storage: any Storage
  private let coding: Coding<Value>
  /// Held while the storage is read and written.
  private let state = CheckedMutex(State())
  private let lastNumber = Atomic<Int>(0)
  private let phase = Atomic<Phase>(.running)
  private let failure = Mutex<PersistenceError?>(nil)

  init(_ storage: any Storage, _ coding: Coding<Value>) {
    self.storage = storage
    self.coding = coding
  }

  var lastFailure: PersistenceError? { failure.withLock { $0 } }

  /// Keeps others from saving, and reads the stored value; returns `nil` if there is none yet.
  func open() throws -> Value? {
    try withStorage { state in
      state.lock = try reporting(.notWritable, "locked") { try storage.lock() }
      guard let data = try reporting(.notReadable, "read", { try storage.read() }) else { return nil }
      let value = try coding.decode(data, from: storage.name)
      state.saved = data
      return value
    }
  }

  /// Returns the number of the next value; called in the order of the commits.
  func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Resumes the automatic saving of values, unless it has been stopped.
  func resume() { _ = phase.compareExchange(expected: .suspended, desired: .running, ordering: .relaxed) }

  /// Suspends the automatic saving of values until it is resumed; a value that is being written is finished.
  func suspend() { _ = phase.compareExchange(expected: .running, desired: .suspended, ordering: .relaxed) }

  /// Stops the automatic saving of values for good; a value that is being written is finished.
  func stop() {
    if phase.load(ordering: .relaxed) != .crashed { phase.store(.stopped, ordering: .relaxed) }
  }

  /// Stops all saving for good, because the simulated host of the store has crashed.
  func crash() { phase.store(.crashed, ordering: .relaxed) }

  /// Gives up on the content that a save after a change failed to write: later changes save only different content.
  func giveUp() { withStorage { $0.failed?.isGivenUp = true } }

  /// Lets others save, unless automatic saving is still running.
  func close() {
    withStorage { state in
      if phase.load(ordering: .relaxed) != .running { state.lock = nil }
    }
  }

  /// Writes a value, unless a newer one has been written, or the storage already has this one.
  ///
  /// Does nothing if the save may no longer begin.
  func save(_ value: Value, number: Int, on occasion: Occasion) throws(PersistenceError) {
    // A save that may no longer begin is silent, even about a value that can't be encoded.
    guard mayBegin(on: occasion) else { return try refuseIfCrashed(on: occasion) }
    // The value is encoded before the storage is locked, since that may take long. By then the value may be out of
    // date, and an error irrelevant.
    let content: Content
    do {
      content = .data(try coding.encode(value, for: storage.name))
    } catch {
      content = .unencodable(value, error)
    }
    // Compared outside the storage's lock, because `==` belongs to the user; released there, too.
    var failed = occasion == .change ? withStorage { $0.failed } : nil
    if let failed, failed.isGivenUp, content.isSame(as: failed.content) {
      // Otherwise, a commit made by the failure's report would lead to the next failure, and so on.
      return
    }
    let result = withStorage { state -> Result<Void, PersistenceError> in
      let isLasting = phase.load(ordering: .relaxed) == .running
      guard number >= state.newest, mayBegin(on: occasion) else { return .success(()) }
      failed = state.failed
      if occasion == .change { state.failed = (content, false) }
      // The outcome is recorded under the lock, so that the last write's outcome remains.
      return Result { () throws(PersistenceError) in
        try noting {
          let data = try content.data
          if state.lock?.isHeld != true { state.lock = try storage.lock() }
          defer { if !isLasting { state.lock = nil } }
          try write(data, &state)
          state.newest = number
          state.failed = nil
          failure.withLock { $0 = nil }
        }
      }
    }
    try result.get()
  }

  /// Returns whether a save may begin; a save after a change may only while the store has not ended.
  func mayBegin(on occasion: Occasion) -> Bool {
    let phase = phase.load(ordering: .relaxed)
    return switch occasion {
    case .change: phase == .running
    case .end: phase == .running || phase == .suspended
    case .demand: phase != .crashed
    }
  }

  /// - Throws: ``PersistenceError`` with the code `storeEnded` if a task of a crashed host has called `save()`.
  private func refuseIfCrashed(on occasion: Occasion) throws(PersistenceError) {
    guard occasion == .demand, phase.load(ordering: .relaxed) == .crashed else { return }
    throw PersistenceError(
      .storeEnded, storage: storage.name,
      "The host of the store whose state \(storage.name) keeps has crashed, and saves nothing any more.")
  }

  /// Calls `body` while no other thread uses the storage.
  private func withStorage<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock(
      "The storage \(storage.name) called save(), stop() or deactivate() from within one of its own functions. "
        + "Call it in a task, and let the storage return first."
    ) { state in try body(&state) }
  }

  private func noting<Result>(_ body: () throws -> Result) throws(PersistenceError) -> Result {
    do {
      return try reporting(.notWritable, "written", body)
    } catch {
      failure.withLock { $0 = error }
      throw error
    }
  }

  /// - Parameters:
  ///   - code: the code for the storage's own errors.
  ///   - verb: the action that the errors have prevented.
  private func reporting<Result>(
    _ code: PersistenceError.Code, _ verb: String, _ body: () throws -> Result
  ) throws(PersistenceError) -> Result {
    do {
      return try body()
    } catch let error as PersistenceError {
      throw error
    } catch {
      throw PersistenceError(code, storage: storage.name, "\(storage.name) can't be \(verb): \(error)")
    }
  }

  private func write(_ data: Data, _ state: inout State) throws {
    let present = try present()
    if present == data, present == state.saved, state.attempt == nil { return }
    let isOwn = present == nil || present == state.saved || present == state.attempt || present == data
    if let present, !isOwn { try refuseUnlessDamaged(present) }
    if isOwn { state.saved = present }
    state.attempt = data
    if isOwn { try storage.write(data) } else { try storage.replaceDamaged(data) }
    state.saved = data
    state.attempt = nil
  }

  private func present() throws(PersistenceError) -> Data? {
    do {
      return try reporting(.notReadable, "read") { try storage.read() }
    } catch {
      guard error.code == .missing else { throw error }
      return nil
    }
  }

  /// - Throws: ``PersistenceError`` with the code `newer` or `changed`, or `notReadable` if that can't be determined.
  private func refuseUnlessDamaged(_ data: Data) throws {
    let snapshot: Snapshot
    do {
      snapshot = try Snapshot(data, from: storage.name)
    } catch let error as PersistenceError where error.code == .damaged {
      return
    }
    let isNewer = snapshot.version > coding.version
    throw PersistenceError(
      isNewer ? .newer : .changed, storage: storage.name,
      "\(storage.name) was saved by another program or store since this one read it"
        + "\(isNewer ? ", by a newer version" : ""). "
        + "It is left as it is. Move it away to have this store's state saved."
    )
  }
}

/// The content that a save is about to write.
///
/// Not nested in the saver, where the type would be generic: looking up its metadata takes more stack than may be left.
private enum Content {
  case data(Data)
  case unencodable(any Sendable, PersistenceError)

  var data: Data {
    get throws(PersistenceError) {
      switch self {
      case .data(let data): data
      case .unencodable(_, let error): throw error
      }
    }
  }

  /// Returns whether this is known to be the same content as `other`.
  ///
  /// Values that can't be encoded are compared with `==`, or by their errors' descriptions if they are not `Equatable`
  /// or not equal to themselves.
  func isSame(as other: Content) -> Bool {
    switch (self, other) {
    case (.data(let data), .data(let other)): data == other
    case (.unencodable(let value, let error), .unencodable(let other, let otherError)):
      (value as? any Equatable).flatMap { $0.isEqual(to: value) ? $0.isEqual(to: other) : nil }
        ?? (error.description == otherError.description)
    case (.data, .unencodable), (.unencodable, .data): false
    }
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { (other as? Self).map { $0 == self } ?? false }
}
