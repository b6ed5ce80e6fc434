extension Storage {
  /// Reads the stored value without a store; returns `nil` if nothing was ever saved.
  ///
  /// Use it to look at a saved state, in a tool or a test. To restore the state in a store, use
  /// `persist(_:in:version:migrations:restoring:saving:retry:isolation:onFailure:onFinalFailure:)`, with the same
  /// migrations and the same errors. `load` writes nothing and takes no ``lock()``, so it may be called while a store
  /// saves to the storage.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// let file = FileStorage(folder.appending(path: "tally.state"))
  /// let nothing = try file.load(Tally.self)
  /// let tally = StoreOf<Tally>(state: Tally(count: 3), env: ())
  /// try tally.persist(\.self, in: file).save()
  /// let saved = try file.load(Tally.self)
  /// // nothing == nil
  /// // saved?.count == 3
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the stored value.
  ///   - version: the version of the data that this program knows; 1 or more.
  ///   - migrations: the steps from older versions.
  /// - Throws: ``PersistenceError`` if the saved data is damaged, missing or newer, or can't be migrated or read.
  public func load<Value: Codable & Sendable>(
    _ type: Value.Type = Value.self, version: Int = 1, migrations: [Migration] = []
  ) throws -> Value? {
    let coding = try Coding<Value>(version: version, migrations: migrations, for: name)
    return try read().map { try coding.decode($0, from: name) }
  }
}
