import AsyncStore
import Synchronization

/// A network of hosts within a simulation, for tests of distributed programs.
///
/// Hosts have names, and send each other messages of one type. The links between them have ``NetworkConditions``:
/// latency, loss, duplication, reordering. The test partitions and heals links, and crashes and restarts hosts. Every
/// fault is a choice of the schedule, so that an exploration searches for the faults that matter, shrinks to them and
/// replays them.
///
/// ```swift
/// let answer = try await simulate { simulation in
///   let network = SimulatedNetwork<Int>(NetworkConditions(latency: .milliseconds(5) ... .milliseconds(5)))
///   network.host("doubler") { host in
///     for await request in host.messages { host.send(request.message * 2, to: request.sender) }
///   }
///   let client = network.host("client")
///   client.send(21, to: "doubler")
///   return await client.messages.first { _ in true }?.message
/// }
/// // answer == 42
/// ```
///
/// **Lifetime.** A network lives in one simulation. When the simulation's body has ended, the network's hosts are
/// stopped, and none is started again. A host whose tasks continue although they are cancelled is reported as a leak.
///
/// **Isolation.** Every method is safe from any of the simulation's tasks. Messages are delivered between two jobs.
///
/// **Complexity.** A message costs a search by name among the hosts, and one among the sleepers of the simulation. All
/// ``events`` are kept.
public final class SimulatedNetwork<Message: Sendable>: Sendable {
  struct Link: Hashable {
    let sender: String
    let receiver: String
  }

  struct Member {
    let name: String
    let clock: HostClock
    let disk = Disk()
    let body: (@Sendable (Host) async throws -> Void)?
    var life: Host?
  }

  struct State {
    var members: [Member] = []
    /// The lives of hosts with tasks that may not have returned.
    var lives: [HostLife] = []
    var conditions: NetworkConditions
    var linkConditions: [Link: NetworkConditions] = [:]
    var cutLinks: Set<Link> = []
    /// The number of times that each link has been cut.
    var cutCounts: [Link: Int] = [:]
    /// The time of the last delivery on each link that was made in the order of sending.
    var lastDeliveries: [Link: TestClock.Instant] = [:]
    var messageCount = 0
    var events: [Event] = []
    /// True once the simulation's body has ended.
    var isStopped = false
  }

  let simulation: Simulation
  let state: Mutex<State>

  /// Creates a network without hosts.
  ///
  /// Traps outside a simulation. A detached task does not know its simulation, and has to pass it.
  ///
  /// - Parameters:
  ///   - conditions: the conditions of all links; by default no latency and no faults.
  ///   - simulation: the simulation of the network; by default the calling task's.
  public init(_ conditions: NetworkConditions = .ideal, in simulation: Simulation? = .current) {
    guard let simulation else {
      fatalError("A network is part of a simulation: create it in the body of `simulate` or `explore`.")
    }
    self.simulation = simulation
    state = Mutex(State(conditions: conditions))
    simulation.endWithBody { self.stop() }
    simulation.atEnd { try self.checkEnd() }
  }

  // MARK: Hosts

  /// Adds a host and starts it.
  ///
  /// The body is the program of the host: it runs when the host starts, and again after each restart. When the body has
  /// returned, the host stays up, with the stores and tasks that the body created. If the body or a task of the host
  /// throws, the simulation fails with that error, unless the task was cancelled.
  ///
  /// - Parameters:
  ///   - name: the host's name; the name of another host traps.
  ///   - clock: the skew of the host's clock; by default none.
  ///   - body: runs as a task of the host, and is cancelled when the host crashes. By default there is none.
  /// - Returns: the first life of the host; a restart begins another one.
  @discardableResult
  public func host(
    _ name: String, clock: ClockSkew = .none, _ body: (@Sendable (Host) async throws -> Void)? = nil
  ) -> Host {
    state.withLock { state in
      trap(
        unless: !state.members.contains { $0.name == name },
        "A host named \"\(name)\" already exists in this network.")
      let clock = HostClock(clock: simulation.clock, skew: clock)
      state.members.append(Member(name: name, clock: clock, body: body))
    }
    return start(name)
  }

  /// The current life of a host, or `nil` if it is down.
  ///
  /// Traps if no host has this name.
  public subscript(name: String) -> Host? {
    state.withLock { $0.members[$0.index(of: name)].life }
  }

  /// The names of all hosts, in the order in which they were added.
  public var hosts: [String] { state.withLock { $0.members.map(\.name) } }

  /// Crashes a host; nothing happens if it is down.
  ///
  /// The host's stores are deactivated, without a last save of persisted stores, and its tasks are cancelled; from now
  /// on, nothing that they still do affects the network or the storage. Unsynced writes may be lost, as the schedule
  /// chooses. Messages that the host has sent continue; messages that arrive while it is down are lost. Traps if no
  /// host has this name.
  public func crash(_ name: String) {
    let (life, disk) = state.withLock { state in
      let index = state.index(of: name)
      defer { state.members[index].life = nil }
      return (state.members[index].life, state.members[index].disk)
    }
    guard let life, life.end() else { return }
    let lost = disk.crash { simulation.scheduler.choosesFault(0.5) }
    note(.crashed, name, text: lost.isEmpty ? nil : "lost \(lost.joined(separator: ", "))")
  }

  /// Starts a host again, with its stored contents; crashes it first if it is up.
  ///
  /// Traps if no host has this name.
  public func restart(_ name: String) {
    crash(name)
    start(name)
  }

  /// Starts a host; if the network is stopped, the new life is over at once.
  @discardableResult
  private func start(_ name: String) -> Host {
    let life = HostLife(name)
    let (host, body) = state.withLock { state in
      let index = state.index(of: name)
      let member = state.members[index]
      let host = Host(
        network: self, life: life, clock: member.clock, storage: HostStorage(disk: member.disk, life: life))
      if state.isStopped {
        _ = host.end()
      } else {
        state.members[index].life = host
        state.lives.removeAll { !$0.isUp && $0.taskCount == 0 }
        state.lives.append(life)
      }
      return (host, member.body)
    }
    guard host.isUp else { return host }
    note(.started, name)
    if let body { host.task { try await body(host) } }
    return host
  }

  // MARK: The end

  private func stop() {
    let hosts = state.withLock { state in
      state.isStopped = true
      defer { for index in state.members.indices { state.members[index].life = nil } }
      return state.members.compactMap(\.life)
    }
    for host in hosts { _ = host.end() }
  }

  private func checkEnd() throws {
    let names = state.withLock { $0.lives.filter { $0.taskCount > 0 }.map(\.name) }
    guard let name = names.first else { return }
    let message =
      "Host \"\(name)\" was stopped, and a task of it has not returned: cancellation does not end what it waits for."
    throw simulation.failure(.leak, message)
  }
}

extension SimulatedNetwork.State {
  func index(of name: String) -> Int {
    if let index = members.firstIndex(where: { $0.name == name }) { return index }
    let names = members.map { "\"\($0.name)\"" }.joined(separator: ", ")
    fatalError("There is no host \"\(name)\" in this network; its hosts are \(names.isEmpty ? "none" : names).")
  }
}
