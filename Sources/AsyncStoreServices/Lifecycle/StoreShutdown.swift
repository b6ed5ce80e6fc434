#if Services
  import AsyncStore

  /// The shut-down of one store of a ``StoreService``.
  public struct StoreShutdown: Sendable, CustomStringConvertible {
    /// The name of the store.
    public let store: String
    /// The effects that were cancelled, with their clean-up, because they had not ended while the store drained.
    public let cancelled: InFlight
    /// The error that names what had not ended in time, or was stopped without its clean-up; `nil` if all has ended.
    public let error: AsyncStoreError?

    /// The shut-down in words, with the effects a line each.
    public var description: String {
      if let error { return "\(store): \(error.description)" }
      guard !cancelled.isEmpty else { return "\(store): everything ended" }
      return "\(store): cancelled and cleaned up\n\(cancelled)"
    }
  }
#endif
