import AsyncStore
import Synchronization

extension SimulatedNetwork {
  // MARK: Conditions

  /// The conditions of all links that have none of their own.
  public var conditions: NetworkConditions {
    get { state.withLock { $0.conditions } }
    set { state.withLock { $0.conditions = newValue } }
  }

  /// Sets the conditions of the link from one host to another.
  ///
  /// Messages on their way are not affected. Traps if no host has one of these names.
  ///
  /// - Parameters:
  ///   - conditions: the conditions, or `nil` for the network's conditions.
  ///   - sender: the name of the host that sends.
  ///   - receiver: the name of the host that receives.
  public func setConditions(_ conditions: NetworkConditions?, from sender: String, to receiver: String) {
    state.withLock { state in
      state.linkConditions[state.link(from: sender, to: receiver)] = conditions
    }
  }

  // MARK: Partitions

  /// Cuts the links between some hosts and others: messages between them are lost, including those on their way.
  ///
  /// Traps if no host has one of these names.
  ///
  /// - Parameters:
  ///   - hosts: the names of the first hosts.
  ///   - others: the names of the others.
  ///   - isOneWay: true to cut only the links from the first hosts to the others; by default both ways.
  public func partition(_ hosts: [String], from others: [String], isOneWay: Bool = false) {
    change(hosts, others, isOneWay) { state, link in
      state.cutLinks.insert(link)
      state.cutCounts[link, default: 0] += 1
    }
    note(.partitioned, hosts, others, isOneWay)
  }

  /// Cuts the links between a host and all others.
  ///
  /// Traps if no host has this name.
  public func isolate(_ host: String) { partition([host], from: hosts.filter { $0 != host }) }

  /// Restores links between some hosts and others.
  ///
  /// Traps if no host has one of these names.
  ///
  /// - Parameters:
  ///   - hosts: the names of the first hosts.
  ///   - others: the names of the others.
  ///   - isOneWay: true to restore only the links from the first hosts to the others; by default both ways.
  public func heal(_ hosts: [String], from others: [String], isOneWay: Bool = false) {
    change(hosts, others, isOneWay) { $0.cutLinks.remove($1) }
    note(.healed, hosts, others, isOneWay)
  }

  /// Restores all links.
  public func heal() {
    let wasCut = state.withLock { state in
      defer { state.cutLinks = [] }
      return !state.cutLinks.isEmpty
    }
    if wasCut { note(.healed, hosts.first ?? "", text: "all links") }
  }

  private func change(
    _ hosts: [String], _ others: [String], _ isOneWay: Bool, _ change: (inout State, Link) -> Void
  ) {
    state.withLock { state in
      for name in hosts + others { _ = state.index(of: name) }
      for host in hosts {
        for other in others where other != host {
          change(&state, state.link(from: host, to: other))
          if !isOneWay { change(&state, state.link(from: other, to: host)) }
        }
      }
    }
  }

  private func note(_ kind: Event.Kind, _ hosts: [String], _ others: [String], _ isOneWay: Bool) {
    let arrow = isOneWay ? "to" : "and"
    note(
      kind, hosts.first ?? "",
      text: "\(hosts.joined(separator: ", ")) \(arrow) \(others.joined(separator: ", "))")
  }

  // MARK: Messages

  func send(_ message: Message, from host: Host, to receiver: String) {
    let sender = host.name
    let (link, number, isCut, conditions) = state.withLock { state in
      let link = state.link(from: sender, to: receiver)
      state.messageCount += 1
      return (
        link, state.messageCount, state.cutLinks.contains(link), state.linkConditions[link] ?? state.conditions
      )
    }
    note(.sent, sender, to: receiver, message, number)
    if sender == receiver { return deliver(message, number, on: link, at: simulation.clock.now, toLife: host) }
    if isCut { return note(.lost, sender, to: receiver, message, number, text: "partition") }
    let scheduler = simulation.scheduler
    if scheduler.choosesFault(conditions.loss) { return note(.lost, sender, to: receiver, message, number) }
    let isTwice = scheduler.choosesFault(conditions.duplication)
    if isTwice { note(.duplicated, sender, to: receiver, message, number) }
    for _ in 0..<(isTwice ? 2 : 1) {
      let latency = scheduler.chooseLatency(in: conditions.latency, among: simulation.stores)
      var moment = simulation.clock.now.advanced(by: latency)
      if !conditions.choosesReordering(scheduler) {
        state.withLock { state in
          moment = max(moment, state.lastDeliveries[link] ?? moment)
          state.lastDeliveries[link] = moment
        }
      }
      deliver(message, number, on: link, at: moment)
    }
  }

  /// - Parameter life: the only life of the receiver that gets the message; by default the life that is up at that
  ///   time.
  private func deliver(
    _ message: Message, _ number: Int, on link: Link, at moment: TestClock.Instant, toLife life: Host? = nil
  ) {
    let cutCount = state.withLock { $0.cutCounts[link] }
    simulation.scheduler.schedule(at: moment) { [self] in
      let (receiver, isCut) = state.withLock { state in
        (state.members[state.index(of: link.receiver)].life, state.cutCounts[link] != cutCount)
      }
      let lose = { reason in self.note(.lost, link.sender, to: link.receiver, message, number, text: reason) }
      if isCut { return lose("partition") }
      guard let receiver else { return lose("\(link.receiver) is down") }
      if let life, life !== receiver { return lose("\(link.receiver) has crashed") }
      note(.delivered, link.sender, to: link.receiver, message, number)
      receiver.deliver(Envelope(sender: link.sender, message: message))
    }
  }
}

extension SimulatedNetwork.State {
  fileprivate func link(from sender: String, to receiver: String) -> SimulatedNetwork.Link {
    SimulatedNetwork.Link(sender: members[index(of: sender)].name, receiver: members[index(of: receiver)].name)
  }
}
