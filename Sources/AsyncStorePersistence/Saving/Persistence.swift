/// The saving of a store's state that `persist(_:in:version:migrations:saving:retry:isolation:onFailure:)` has begun.
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
  /// When it returns, the state is kept for good. It blocks until then.
  ///
  /// - Throws: ``PersistenceError`` with the code `notWritable` or `notEncodable`; what was saved before is still there.
  public func save() throws { try saveNow() }

  /// Ends the saving.
  ///
  /// What has changed since the last save is not saved; call ``save()`` before.
  public func stop() { end() }

  /// Why the last save failed, or `nil` if it did not.
  public var lastFailure: PersistenceError? { failure() }
}
