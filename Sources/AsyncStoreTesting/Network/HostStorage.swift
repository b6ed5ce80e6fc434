import AsyncStore
import Synchronization

/// The storage of a host: a disk whose contents survive a crash.
///
/// A write is visible to reads at once, and durable once a later ``sync()`` has returned. When the host crashes, the
/// schedule chooses for each unsynced write, independently of the others, whether it is kept or lost; without a seed,
/// all are kept.
///
/// ```swift
/// try await simulate { simulation in
///   let network = SimulatedNetwork<String>()
///   let host = network.host("a")
///   host.storage.write(7, to: "term")
///   try await host.storage.sync()
///   network.restart("a")
///   // network["a"]?.storage.read("term", as: Int.self) == 7
/// }
/// ```
///
/// The storage object belongs to one life of the host: after that life has crashed, its writes do nothing, and it reads
/// nothing.
public struct HostStorage: Sendable {
  let disk: Disk
  let life: HostLife

  /// Stores a value; durable after the next ``sync()``.
  public func write<Value: Sendable>(_ value: Value, to key: String) {
    if life.isUp { disk.write(value, to: key) }
  }

  /// Removes a value; durable after the next ``sync()``.
  public func remove(_ key: String) {
    if life.isUp { disk.write(nil, to: key) }
  }

  /// Returns the value of a key, written by this or an earlier life of the host.
  ///
  /// Traps if there is a value of another type.
  ///
  /// - Returns: the value, or `nil` if there is none or the host has crashed.
  public func read<Value: Sendable>(_ key: String, as type: Value.Type = Value.self) -> Value? {
    guard life.isUp, let value = disk.read(key) else { return nil }
    guard let value = value as? Value else {
      fatalError("The value of \"\(key)\" in the host's storage has the type \(Swift.type(of: value)), not \(type).")
    }
    return value
  }

  /// Makes the writes before this call durable.
  ///
  /// The call suspends, and the host may crash meanwhile.
  ///
  /// - Throws: `CancellationError` if the host has crashed or the task was cancelled; then nothing has become durable.
  public func sync() async throws {
    let count = disk.writeCount
    await Task.yield()
    try Task.checkCancellation()
    guard life.isUp else { throw CancellationError() }
    disk.sync(upTo: count)
  }

  /// Makes the writes before this call durable, for code that can't suspend.
  ///
  /// The host can't crash meanwhile.
  ///
  /// - Throws: `CancellationError` if the host has crashed; then nothing has become durable.
  public func syncNow() throws {
    guard life.isUp else { throw CancellationError() }
    disk.sync(upTo: disk.writeCount)
  }
}

/// The contents of a host's storage, and the writes that are not durable yet.
final class Disk: Sendable {
  private struct Write {
    let key: String
    /// The value, or `nil` if the write removes it.
    let value: (any Sendable)?
  }

  private struct State {
    var durable: [String: any Sendable] = [:]
    var pending: [Write] = []
    /// The number of writes that came before the pending ones.
    var syncedCount = 0

    /// Makes a write durable, and returns the value that it replaces.
    mutating func keep(_ write: Write) -> (any Sendable)? {
      defer { durable[write.key] = write.value }
      return durable[write.key]
    }
  }

  private let state = Mutex(State())

  var writeCount: Int { state.withLock { $0.syncedCount + $0.pending.count } }

  func write(_ value: (any Sendable)?, to key: String) {
    state.withLock { $0.pending.append(Write(key: key, value: value)) }
  }

  func read(_ key: String) -> (any Sendable)? {
    state.withLock { state in
      if let write = state.pending.last(where: { $0.key == key }) { return write.value }
      return state.durable[key]
    }
  }

  func sync(upTo count: Int) {
    // The replaced values are released after the lock.
    let replaced = state.withLock { state in
      let writes = state.pending.prefix(max(0, count - state.syncedCount))
      let replaced = writes.compactMap { state.keep($0) }
      state.pending.removeFirst(writes.count)
      state.syncedCount += writes.count
      return replaced
    }
    withExtendedLifetime(replaced) {}
  }

  /// Keeps or loses the pending writes when the host has crashed.
  ///
  /// - Parameter isLost: called for each write; chooses whether it is lost.
  /// - Returns: the keys of the lost writes.
  func crash(_ isLost: () -> Bool) -> [String] {
    let (lost, replaced) = state.withLock { state in
      var (lost, replaced): ([Write], [any Sendable]) = ([], [])
      for write in state.pending {
        if isLost() { lost.append(write) } else if let value = state.keep(write) { replaced.append(value) }
      }
      state.syncedCount += state.pending.count
      state.pending = []
      return (lost, replaced)
    }
    withExtendedLifetime(replaced) {}
    return lost.map(\.key)
  }
}
