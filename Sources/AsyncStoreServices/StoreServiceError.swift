#if Services
  import AsyncStore

  /// An error of a store that is operated in a service.
  public struct StoreServiceError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    ///
    /// More kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
      /// The name of the kind.
      public let description: String

      /// All places for requests, in flight and waiting, are taken; try again later (in HTTP, 429 or 503).
      public static let busy = Code(description: "busy")
      /// The store accepts no effects, because it is being or has been shut down (in HTTP, 503).
      public static let unavailable = Code(description: "unavailable")
      /// The effect of a request was cancelled, although the request was not: by another request under the same
      /// identifier, by a cancel, by a shutdown that did not wait for it, or because a part of a sequence was cancelled
      /// (in HTTP, 503).
      public static let cancelled = Code(description: "cancelled")
      /// A reader has fallen behind by more than its limit.
      public static let slowReader = Code(description: "slowReader")
      /// Stores were shut down, but not everything in them ended in time.
      public static let notEnded = Code(description: "notEnded")
    }

    /// The kind of error.
    public let code: Code
    /// The error in words.
    public let description: String
    /// The shutdowns that failed, for ``Code/notEnded``.
    public let failedShutdowns: [StoreShutdown]
    /// The call site.
    public let location: CallSite

    init(_ code: Code, _ description: String, failedShutdowns: [StoreShutdown] = [], at location: CallSite) {
      self.code = code
      self.description = description
      self.failedShutdowns = failedShutdowns
      self.location = location
    }
  }
#endif
