import AsyncStore

/// A store that watches one part of the machine.
typealias GaugeStore<Part: Gauge> = AsyncStore<Part, Host>

extension AsyncStore where State: Gauge, Env == Host {
  /// Creates a store that has not read anything yet.
  convenience init(watching host: Host, clock: some Clock<Duration>, executor: (any TaskExecutor)? = nil) {
    self.init(
      state: State(),
      env: host,
      clock: clock,
      executor: executor,
      // An error is part of the state: it is shown where the numbers would be.
      mapError: { error in .set(\.failure, to: String(describing: error)) }
    )
  }

  /// Takes a reading now, and then one each interval.
  func start(every interval: Duration) {
    receive(
      .merge(
        .reading,
        .timer(interval, id: "\(State.name).timer") { _ in .reading }
      )
    )
  }
}

extension AsyncStore.Effect where State: Gauge, Env == Host {
  /// Takes a reading and adds it to the state.
  ///
  /// A reading may take longer than the interval; meanwhile no other begins beside it.
  static var reading: Self {
    .perform { host in
      let reading = try State.read(host)
      let time = host.uptime()
      return .set { state in
        state.failure = nil
        state.add(reading, at: time)
      }
    }
    .id("\(State.name).reading", .keepFirst)
  }
}
