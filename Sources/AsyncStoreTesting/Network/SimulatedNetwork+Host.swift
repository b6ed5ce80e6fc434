import AsyncStore

extension SimulatedNetwork {
  /// A message that has arrived at a host.
  public struct Envelope: Sendable {
    /// The name of the host that sent it.
    public let sender: String
    /// The message.
    public let message: Message
  }

  /// One life of a host: from its start to its crash.
  ///
  /// A host's program acts on its environment only through this object. After the crash, none of its actions has an
  /// effect.
  public final class Host: Sendable {
    private let network: SimulatedNetwork
    private let life: HostLife

    /// The clock of the host, which may be skewed.
    public let clock: HostClock
    /// The storage of the host, which survives a crash.
    public let storage: HostStorage
    /// The messages that arrive, in the order of their arrival.
    public let messages: Messages

    init(network: SimulatedNetwork, life: HostLife, clock: HostClock, storage: HostStorage) {
      self.network = network
      self.life = life
      self.clock = clock
      self.storage = storage
      messages = Messages(inbox: Inbox(network.simulation.scheduler))
    }

    /// The name of the host.
    public var name: String { life.name }
    /// True until the host crashes or is stopped.
    public var isUp: Bool { life.isUp }
    /// The names of all other hosts, in the order in which they were added.
    public var others: [String] { network.hosts.filter { $0 != name } }

    /// Sends a message to a host, and does not wait for its delivery.
    ///
    /// A message to the host itself arrives without latency or faults. After the crash, nothing happens.
    ///
    /// - Parameters:
    ///   - message: the message, which may be lost or repeated under the conditions of the link.
    ///   - receiver: the name of a host of this network; any other traps.
    public func send(_ message: Message, to receiver: String) {
      if isUp { network.send(message, from: self, to: receiver) }
    }

    /// Sends a message to all other hosts.
    public func broadcast(_ message: Message) {
      for other in others { send(message, to: other) }
    }

    /// Creates a store that lives on the host, with the host's clock, until the host crashes.
    ///
    /// - Parameters:
    ///   - state: the initial state.
    ///   - env: the dependencies of effects.
    ///   - name: the store's name for people; by default none.
    ///   - instrument: receives the store's events; by default there is none.
    ///   - mapError: maps an operation's error to the effect that takes the operation's place.
    /// - Returns: the store, which is inactive if the host has crashed.
    public func store<State, Env>(
      _ state: State, env: Env, name: String? = nil, instrument: (any StoreInstrument)? = nil,
      mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)? = nil
    ) -> AsyncStore<State, Env> {
      let store = network.simulation.store(
        state, env: env, name: name, time: HostTime(clock), isolation: nil, instrument: instrument,
        mapError: mapError)
      life.append(store)
      return store
    }

    /// Starts a task of the host, which is cancelled when the host crashes.
    ///
    /// An error that the operation throws fails the simulation, unless the task was cancelled. A task created with
    /// `Task { … }` does not belong to the host, and continues after a crash.
    ///
    /// **Cancellation.** A crash cancels the task. If the host crashes before the task's first job, the operation never
    /// runs.
    @discardableResult
    public func task(_ operation: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
      life.start(in: network.simulation, operation) { [scheduler = network.simulation.scheduler] in
        scheduler.fail($0)
      }
    }

    /// Adds a remark to the network's ``SimulatedNetwork/events``, and to the report of a failure.
    public func note(_ text: String) {
      if isUp { network.note(.noted, name, text: text) }
    }

    func deliver(_ envelope: Envelope) { messages.inbox.append(envelope) }

    func end() -> Bool {
      let wasUp = life.end()
      messages.inbox.end()
      return wasUp
    }
  }
}
