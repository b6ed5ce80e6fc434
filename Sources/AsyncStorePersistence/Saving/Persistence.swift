/// The saving of a store's state, begun by
/// `persist(_:in:version:migrations:restoring:saving:retry:isolation:onFailure:onFinalFailure:)`.
///
/// It may be dropped; the saving goes on.
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

  /// Saves the state as it is now.
  ///
  /// The state is on the storage before this returns; if the store is gone, its last state is. The storage is read
  /// first: a file that somebody has deleted or damaged is written again even if the state has not changed. This blocks
  /// the calling thread, also if its task is cancelled. It may be called on any thread, but not from a mutation of the
  /// store. A save that fails throws, and is neither reported to `onFailure` nor tried again.
  ///
  /// - Throws: ``PersistenceError`` with the code `notEncodable`, `tooLarge` or `notReadable`, or `newer`, `changed` or
  ///   `inUse` if somebody else saves to the storage; the data that was saved before is still there. With the code
  ///   `notWritable` the storage may have the old state or the new one, until a save succeeds. With the code
  ///   `storeEnded` if the store is gone and ``stop()`` had been called before, or if its simulated host has crashed.
  public func save() throws { try saveNow() }

  /// Ends the saving.
  ///
  /// Changes since the last save are not saved; call ``save()`` before. A save that has not begun to write, or waits
  /// for another attempt, is cancelled; a save that is writing finishes before this returns. Others may then save to
  /// the storage. A second call does nothing.
  public func stop() { end() }

  /// The error of the last save that was tried, or `nil` if it succeeded.
  public var lastFailure: PersistenceError? { failure() }
}
