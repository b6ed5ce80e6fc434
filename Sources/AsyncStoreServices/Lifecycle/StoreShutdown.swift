#if Services
  import AsyncStore

  /// The shutdown of one store of a ``StoreService``.
  public struct StoreShutdown: Sendable, CustomStringConvertible {
    /// The name of the store.
    public let store: String
    /// The effects that were cancelled, with their cleanup, because they had not ended while the store drained.
    ///
    /// If there is an error, the effects that it names may be among them.
    public let cancelled: InFlight
    /// The error that names the effects that had not ended in time or were stopped without their cleanup; `nil` if
    /// everything has ended.
    public let error: AsyncStoreError?

    /// A description of the shutdown, with one effect per line.
    public var description: String {
      if let error { return "\(store): \(error.description)" }
      guard !cancelled.isEmpty else { return "\(store): everything ended" }
      return "\(store): cancelled and cleaned up\n\(cancelled)"
    }
  }
#endif
