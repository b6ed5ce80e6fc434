import AsyncStore

/// The store that brings the others together: it knows their states, raises the alerts, and shows everything.
typealias DashboardStore = AsyncStore<Dashboard, Display>

extension DashboardStore {
  /// Creates a dashboard that nothing is bound to yet.
  convenience init(
    rules: [AlertRule], display: Display, clock: some Clock<Duration>, executor: (any TaskExecutor)? = nil
  ) {
    self.init(
      state: Dashboard(rules: rules),
      env: display,
      clock: clock,
      executor: executor,
      mapError: { error in .set(\.displayFailure, to: String(describing: error)) }
    )
  }

  /// Keeps a part of the dashboard equal to the state of the store of that part.
  func follow<Part: Gauge>(_ gauge: GaugeStore<Part>, as part: WritableKeyPath<Dashboard, Part> & Sendable) {
    bind(id: Part.name, to: gauge, on: \.self) { .set(part, to: $0) }
  }

  /// Looks at the alert rules after each round of readings, and shows the dashboard once an interval.
  func start(every interval: Duration) {
    // The readings of a round come one after the other, but together, and the rules are applied to all of them.
    bind(id: "alerts", to: \.metrics) { _ in
      .set { $0.updateAlerts() }.debounce(for: interval / 8, id: "alerts.update")
    }
    // The readings are due at the full interval. A quarter later they have arrived, and the alerts that follow from
    // them.
    receive(
      .concatenate(
        .sleep(interval / 4),
        .merge(
          .timer(interval, id: "display.timer") { _ in .show },
          .show
        )
      )
      .id("display")
    )
  }
}

extension DashboardStore.Effect {
  /// Shows the current dashboard; does nothing while the output has not taken the last one.
  static var show: Self {
    .read { state in
      let dashboard = copy state
      return .perform { display in
        try await display.show(dashboard)
        return .set(\.displayFailure, to: nil)
      }
    }
    .id("display.show", .keepFirst)
  }
}
