/// An error in the use of a store.
///
/// Operations' errors are never converted to this type.
public struct AsyncStoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  ///
  /// More kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    /// A condition was not met in time.
    public static let timedOut = Code(description: "timedOut")
    /// The store was deactivated, or was gone, before a condition was met.
    public static let storeEnded = Code(description: "storeEnded")
    /// A key path to wait for or to bind to may trap in a later state, for example `\.items[2]`.
    ///
    /// A subscript's argument that is plain bits, such as an `Int`, a `UUID` or an enum without payload, is treated as
    /// an index, because the two can't be distinguished. So such a key path with a value that is not optional is
    /// refused, although it may have a value in every state. Use a computed property, or a subscript with an optional
    /// value.
    public static let unsafeKeyPath = Code(description: "unsafeKeyPath")
    /// Operations had not returned, or cleanups had not ended, in time.
    public static let stillRunning = Code(description: "stillRunning")
    /// The store was deactivated while it was being shut down, and cleanups were skipped.
    public static let deactivated = Code(description: "deactivated")
    /// The store was activated again while it was being shut down.
    public static let reactivated = Code(description: "reactivated")
  }

  /// The kind of error.
  public let code: Code
  /// A description of the error, its subject and the remedy.
  public let description: String
  /// The effects that had not ended, for ``Code/stillRunning`` and ``Code/deactivated``.
  public let inFlight: InFlight
  /// The call site.
  public let location: CallSite

  init(_ code: Code, _ description: String, inFlight: InFlight = InFlight(), at location: CallSite) {
    self.code = code
    self.description = description
    self.inFlight = inFlight
    self.location = location
  }
}

extension AsyncStoreError {
  static func unsafe(_ keyPath: AnyKeyPath, at location: CallSite) -> Self {
    AsyncStoreError(.unsafeKeyPath, warning(of: keyPath), at: location)
  }

  static func warning(of keyPath: AnyKeyPath) -> String {
    "\(keyPath) has a `!`, or a subscript whose argument may be an index, and so may trap in a later state. Use a "
      + "subscript with an optional value, or a computed property that has a value in every state, for example "
      + "`var third: Item? { items.dropFirst(2).first }`."
  }
}
