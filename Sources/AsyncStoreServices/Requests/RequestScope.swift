#if Services
  import AsyncStore
  import Synchronization

  /// The requests that a store serves under one prefix, each with an identifier of its own, and with a limit on how
  /// many run at once.
  ///
  /// ```swift
  /// let requests = RequestScope(store, under: "request", atMost: 1)
  /// let first = try requests.receive(.sleep(.seconds(60)))
  /// do {
  ///   try await requests.run(.set(\.count, to: 1))
  /// } catch let error as StoreServiceError {
  ///   // error.code == .busy
  /// }
  /// store.receive(.cancel(prefix: "request"))
  /// // await first.outcome.isCancelled == true
  /// ```
  ///
  /// The identifiers consist of the prefix and a further component, by default a number of the scope's own. So a
  /// `cancel` with the prefix reaches all requests, including waiting ones, and ``StoreService/health`` counts them. If
  /// you need neither a limit nor a count, `run(_:)` is enough.
  public struct RequestScope<State: Sendable, Env: Sendable>: Sendable {
    /// The type of the effects of requests.
    public typealias Effect = AsyncStore<State, Env>.Effect

    private let store: AsyncStore<State, Env>
    private let prefix: EffectID
    private let limit: IdentifierPolicy?
    private let numbers = RequestNumbers()

    /// Creates a scope; create only one for each prefix of a store.
    ///
    /// - Parameters:
    ///   - store: the store that serves the requests.
    ///   - prefix: the prefix of their identifiers.
    ///   - count: the maximum number of requests in flight at once, 1 or more; by default any number.
    ///   - capacity: the maximum number of requests that wait for a place, 0 or more; further requests are refused as
    ///     busy. By default none waits. Smaller values trap, as in `IdentifierPolicy.atMost(_:capacity:)`.
    public init(
      _ store: AsyncStore<State, Env>, under prefix: some Hashable & Sendable, atMost count: Int = .max,
      capacity: Int = 0
    ) {
      self.store = store
      self.prefix = EffectID(prefix)
      limit = count == .max ? nil : .atMost(count, capacity: capacity)
    }

    /// Runs the effect of a request, and returns when the effect has settled with all its consequences.
    ///
    /// **Cancellation** of the calling task cancels the effect: nothing of it commits any more, and this returns when
    /// its cleanups and compensations have settled. So a server that cancels the task of a request whose client has
    /// gone ends work that nobody waits for. In a task that is already cancelled, nothing begins. For work that has to
    /// continue without the client, use ``receive(_:id:file:line:)``.
    ///
    /// The effect begins on the caller's actor if there is one, as in `AsyncStore.run(_:)`.
    ///
    /// - Parameters:
    ///   - effect: the effect.
    ///   - id: the whole identifier of the request, under the prefix, for example `EffectID("request").appending(7)`;
    ///     by default one of its own. A request replaces another one under the same identifier; if the number of
    ///     requests is limited, it does so once the other has cleaned up.
    ///   - file: the file of the call, for the error.
    ///   - line: the line of the call, for the error.
    /// - Throws: the error with which the effect failed; `CancellationError` if the calling task was cancelled;
    ///   ``StoreServiceError`` with the code `busy` if there is no place for the request, or the policy of the effect's
    ///   own identifier dropped it, `unavailable` if the store is being shut down, or `cancelled` if something else has
    ///   cancelled the effect. The identifier of a part of the effect, for example inside a `timeout` or a `retry`, may
    ///   drop that part, and the effect then finishes: give the identifier to the whole effect. An effect that is
    ///   lifted into a store that is not active does nothing, and finishes.
    public nonisolated(nonsending) func run(
      _ effect: Effect, id: EffectID? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws {
      try Task.checkCancellation()
      switch await store.run(identified(effect, id)) {
      case .finished: break
      case .failed(let error): throw error
      case .cancelled: throw Task.isCancelled ? CancellationError() : cancelled(CallSite(file: file, line: line))
      case .dropped: throw busy(CallSite(file: file, line: line))
      case .inactive: throw unavailable(CallSite(file: file, line: line))
      }
    }

    /// Begins the effect of a request, which continues when the client has gone.
    ///
    /// **Cancellation** of the calling task does not affect the effect; cancel it with its handle or its identifier.
    ///
    /// - Parameters:
    ///   - effect: the effect.
    ///   - id: the identifier of the request, as for ``run(_:id:file:line:)``.
    ///   - file: the file of the call, for the error.
    ///   - line: the line of the call, for the error.
    /// - Returns: the handle of the effect.
    /// - Throws: ``StoreServiceError`` with the code `busy` if there is no place for the request, or the policy of the
    ///   effect's own identifier dropped it, or `unavailable` if the store is being shut down.
    @discardableResult
    public func receive(
      _ effect: Effect, id: EffectID? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> EffectHandle {
      let handle = store.receive(identified(effect, id), isolation: nil)
      switch handle.outcomeIfSettled {
      case .dropped?: throw busy(CallSite(file: file, line: line))
      case .inactive?: throw unavailable(CallSite(file: file, line: line))
      default: return handle
      }
    }

    private func identified(_ effect: Effect, _ id: EffectID?) -> Effect {
      let id = id ?? prefix.appending(numbers.next())
      guard let limit else { return effect.id(id) }
      // The limit is inside, so that a cancel of the identifier also reaches a request that waits for a place. A
      // request that is replaced gives up its place first; otherwise, the new one might find none.
      return effect.id(RequestPlaces(prefix: prefix), limit).id(id, .replaceAfterCleanup)
    }

    private func busy(_ location: CallSite) -> StoreServiceError {
      StoreServiceError(
        .busy,
        "The limit of requests in flight under \(prefix) is reached, or an identifier's policy dropped the request.",
        at: location)
    }

    private func cancelled(_ location: CallSite) -> StoreServiceError {
      StoreServiceError(
        .cancelled, "The effect of a request under \(prefix) was cancelled, and its client has not gone.", at: location)
    }

    private func unavailable(_ location: CallSite) -> StoreServiceError {
      StoreServiceError(
        .unavailable, "The store that serves \(prefix) is shutting down or inactive, and takes no effects.",
        at: location)
    }
  }

  /// The identifier of the places that the requests under a prefix share.
  ///
  /// The identifier is not under the prefix, where it would be counted.
  private struct RequestPlaces: Hashable, Sendable, CustomStringConvertible {
    let prefix: EffectID

    var description: String { "places of \(prefix)" }
  }

  private final class RequestNumbers: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> RequestNumber { RequestNumber(number: last.add(1, ordering: .relaxed).newValue) }
  }

  /// A number that never equals a user's identifier.
  private struct RequestNumber: Hashable, Sendable, CustomStringConvertible {
    let number: Int

    var description: String { "\(number)" }
  }
#endif
