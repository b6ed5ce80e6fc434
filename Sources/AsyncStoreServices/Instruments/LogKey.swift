#if Services
  /// The keys of the metadata in logs.
  enum LogKey {
    static let store = "store"
    static let inFlight = "in-flight"
    static let effects = "effects"
  }
#endif
