#if Services
  import AsyncStore

  /// The health of a ``StoreService`` at one moment, for the endpoint that a supervisor queries.
  ///
  /// It is `Encodable`, as `{"phase": "active", "stores": [{"name": "orders", "phase": "active", "inFlight": 3,
  /// "inFlightByPrefix": {"order": 2}, "oldestSeconds": 0.25}]}`.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// let service = StoreService(["orders": store])
  /// store.receive(.sleep(.seconds(60)))
  /// let health = service.health
  /// // health.isReady == true
  /// // health.stores[0].inFlightCount == 1
  /// let page = String(decoding: try JSONEncoder().encode(health), as: UTF8.self)
  /// // page.contains("active") == true
  /// store.deactivate()
  /// // service.health.phase == .inactive
  /// ```
  public struct ServiceHealth: Sendable, Encodable {
    /// The health of each store, in the order in which they are shut down.
    public let stores: [StoreHealth]

    /// True if all stores accept effects; send no more requests to a service that is not ready.
    public var isReady: Bool { stores.allSatisfy { $0.phase == .active } }

    /// The phase of the service: active if all stores are, inactive if all are; otherwise the phase of the first store
    /// that drains or cleans up or, without such a store, draining.
    public var phase: StorePhase {
      if isReady { return .active }
      if stores.allSatisfy({ $0.phase == .inactive }) { return .inactive }
      return stores.first { $0.phase == .draining || $0.phase == .cleaningUp }?.phase ?? .draining
    }

    private enum Key: CodingKey { case phase, stores }

    /// Encodes the phase and the stores.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("\(phase)", forKey: .phase)
      try container.encode(stores, forKey: .stores)
    }
  }

  /// The health of one store at one moment.
  public struct StoreHealth: Sendable, Encodable {
    /// The name of the store.
    public let name: String
    /// The phase of the store.
    public let phase: StorePhase
    /// The number of received effects that have not settled, or of cleanups after cancelled ones, whichever is larger.
    ///
    /// Bindings don't count, nor do timers and streams once they have started, nor the effects that any of these begin:
    /// give those an identifier, and count its prefix.
    public let inFlightCount: Int
    /// The number of identifiers in use under each counted prefix: those of effects in flight, waiting or cleaning up.
    ///
    /// Effects whose identifier is the prefix itself are counted individually.
    public let inFlightByPrefix: [EffectID: Int]
    /// The time since the oldest unsettled effect was received, on the store's clock.
    public let oldestAge: Duration?

    private enum Key: CodingKey { case name, phase, inFlight, inFlightByPrefix, oldestSeconds }

    /// Encodes the properties, with the age in seconds.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      try container.encode("\(phase)", forKey: .phase)
      try container.encode(inFlightCount, forKey: .inFlight)
      let counts = inFlightByPrefix.map { ($0.key.description, $0.value) }
      try container.encode(Dictionary(counts, uniquingKeysWith: +), forKey: .inFlightByPrefix)
      try container.encodeIfPresent(oldestAge.map { $0 / .seconds(1) }, forKey: .oldestSeconds)
    }
  }

  extension StoreService {
    /// The current health of the stores.
    ///
    /// - Complexity: linear in the number of stores and of prefixes; on average independent of the number of effects in
    ///   flight. Each store is locked once.
    public var health: ServiceHealth { ServiceHealth(stores: members.map(\.health)) }
  }

  extension StoreMember {
    fileprivate var health: StoreHealth {
      let load = store.load(under: prefixes)
      return StoreHealth(
        name: name, phase: load.phase, inFlightCount: load.unsettledCount,
        inFlightByPrefix: Dictionary(zip(prefixes, load.counts)) { first, _ in first }, oldestAge: load.oldestAge)
    }
  }
#endif
