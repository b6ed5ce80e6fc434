/// An error in restoring or saving a state.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    /// The saved data is truncated, changed or not a saved state, or does not decode as the expected type.
    ///
    /// A type that has changed needs a new version, and a ``Migration``.
    public static let damaged = Code(description: "damaged")
    /// The data was saved by a newer version of the program.
    public static let newer = Code(description: "newer")
    /// The data was saved by an older version, and there is no migration from that version to this one, or more than
    /// one.
    public static let notMigratable = Code(description: "notMigratable")
    /// The data is gone, but its previous version exists.
    public static let missing = Code(description: "missing")
    /// Another program saved to the storage since this one read it.
    public static let changed = Code(description: "changed")
    /// The storage is in use: another process, another store or another part of the same store saves to it.
    public static let inUse = Code(description: "inUse")
    /// The data is longer than the limit of its storage, or would be.
    public static let tooLarge = Code(description: "tooLarge")
    /// The store can't take the data: the store is not active, or belongs to an actor that the caller is not on.
    public static let notRestorable = Code(description: "notRestorable")
    /// The storage can't be read at all, or not on this thread, whose stack is too small for the data.
    public static let notReadable = Code(description: "notReadable")
    /// The storage can't be written.
    public static let notWritable = Code(description: "notWritable")
    /// The state can't be encoded at all, or not on this thread, whose stack is too small for it.
    public static let notEncodable = Code(description: "notEncodable")
    /// The store is gone, and its last state is unknown.
    public static let storeEnded = Code(description: "storeEnded")
  }

  /// The kind of the error.
  public let code: Code
  /// The name of the storage, for example a file's path.
  public let storage: String
  /// A sentence that says what went wrong, where, and what to do about it.
  public let description: String

  /// Creates an error for your own storage to throw.
  public init(_ code: Code, storage: String, _ description: String) {
    self.code = code
    self.storage = storage
    self.description = description
  }
}
