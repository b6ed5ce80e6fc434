/// The saving of a store's state, begun by
/// `persist(_:in:version:migrations:restoring:saving:retry:isolation:onFailure:onFinalFailure:)`.
///
/// The object may be dropped; the saving continues.
public struct Persistence: Sendable {
  private let saveNow: @Sendable () throws -> Void
  private let end: @Sendable () -> Void
  private let failure: @Sendable () -> PersistenceError?

  init(
    save: @escaping @Sendable () throws -> Void, stop: @escaping @Sendable () -> Void,
    failure: @escaping @Sendable () -> PersistenceError?
  ) {
    saveNow = save
    end = stop
    self.failure = failure
  }

  /// Saves the current state.
  ///
  /// The state is on the storage before this returns; if the store is gone, its last state is. The storage is read
  /// first: a file that somebody has deleted or damaged is written again even if the state has not changed. The call
  /// blocks the calling thread, even if its task is cancelled. It may be made on any thread, but not from a mutation of
  /// the store. A save that fails throws, and is neither reported to `onFailure` nor retried.
  ///
  /// - Throws: ``PersistenceError`` with the code `notEncodable`, `tooLarge` or `notReadable`, or `newer`, `changed` or
  ///   `inUse` if somebody else saves to the storage; the previously saved data is still there. With the code
  ///   `notWritable`, the storage may have the old state or the new one, until a save succeeds. With the code
  ///   `storeEnded` if the store is gone and ``stop()`` had been called before, or if its simulated host has crashed.
  public func save() throws { try saveNow() }

  /// Ends the saving.
  ///
  /// Changes since the last save are not saved; call ``save()`` before. A save that has not begun to write, or waits to
  /// be retried, is cancelled; a save that is writing finishes before this returns. Others may then save to the
  /// storage. A second call does nothing.
  public func stop() { end() }

  /// The error of the last attempted save, or `nil` if it succeeded.
  public var lastFailure: PersistenceError? { failure() }
}
