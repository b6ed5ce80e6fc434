#if Services
  /// The keys of the metadata in logs.
  enum LogKey {
    static let store = "store"
    static let effect = "effect"
    static let kind = "kind"
    static let detail = "detail"
    static let identifier = "id"
    static let outerIdentifiers = "outer-ids"
    static let label = "label"
    static let attempt = "attempt"
    static let outcome = "outcome"
    static let error = "error"
    static let delay = "delay"
    static let originStore = "origin-store"
    static let originEffect = "origin-effect"
    static let inFlight = "in-flight"
    static let effects = "effects"
    static let cancelled = "cancelled"
  }
#endif
