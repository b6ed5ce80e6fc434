import AsyncStore

/// The stores of the program.
struct Monitor: Sendable {
  let processor: GaugeStore<ProcessorState>
  let memory: GaugeStore<MemoryState>
  let load: GaugeStore<LoadState>
  let disks: GaugeStore<DisksState>
  let network: GaugeStore<NetworkState>
  let dashboard: DashboardStore

  /// Makes the stores and binds them to the dashboard.
  ///
  /// - Parameters:
  ///   - host: the machine to watch.
  ///   - display: the display of the dashboard.
  ///   - rules: the rules for alerts.
  ///   - clock: the time of all the stores.
  ///   - executor: the executor for readings and the display; by default Swift's own threads.
  init(
    host: Host,
    display: Display,
    rules: [AlertRule] = AlertRule.standard,
    clock: some Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    processor = GaugeStore(watching: host, clock: clock, executor: executor)
    memory = GaugeStore(watching: host, clock: clock, executor: executor)
    load = GaugeStore(watching: host, clock: clock, executor: executor)
    disks = GaugeStore(watching: host, clock: clock, executor: executor)
    network = GaugeStore(watching: host, clock: clock, executor: executor)
    dashboard = DashboardStore(rules: rules, display: display, clock: clock, executor: executor)

    dashboard.follow(processor, as: \.processor)
    dashboard.follow(memory, as: \.memory)
    dashboard.follow(load, as: \.load)
    dashboard.follow(disks, as: \.disks)
    dashboard.follow(network, as: \.network)
  }

  /// Begins to watch, with a round of readings now and one each interval.
  func start(every interval: Duration) {
    dashboard.start(every: interval)
    processor.start(every: interval)
    memory.start(every: interval)
    load.start(every: interval)
    disks.start(every: interval)
    network.start(every: interval)
  }

  /// The stores in the order in which they end: first those that send news to others, the dashboard last.
  private var stores: [(name: String, store: AnyAsyncStore)] {
    [
      (ProcessorState.name, processor),
      (MemoryState.name, memory),
      (LoadState.name, load),
      (DisksState.name, disks),
      (NetworkState.name, network),
      ("dashboard", dashboard),
    ]
  }

  /// The effects that each store has in flight, in the order in which the stores end; stores with nothing are left out.
  var inFlight: [(store: String, effects: InFlight)] {
    stores.map { ($0.name, $0.store.inFlight) }.filter { !$0.effects.isEmpty }
  }

  /// Ends the stores one after the other, and waits until their operations have returned.
  ///
  /// - Parameter deadline: the time to wait for each store.
  /// - Returns: the errors of stores that did not end in time; usually none.
  func shutdown(deadline: Duration) async -> [any Error] {
    var failures: [any Error] = []
    for (_, store) in stores {
      do {
        try await store.shutdown(drain: .zero, cleanup: deadline)
      } catch {
        failures.append(error)
      }
    }
    return failures
  }
}
