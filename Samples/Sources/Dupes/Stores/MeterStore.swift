import AsyncStore

/// The store that shows the progress.
typealias MeterStore = AsyncStore<Meter, MeterDisplay>

extension MeterStore {
  /// Follows a search, and shows its progress at regular intervals.
  func follow(_ search: SearchStore) {
    bind(id: "progress", to: search, on: \.progress) { progress in .set { $0.follow(progress) } }
    receive(
      .timer(env.interval, id: "ticks") { tick in
        .concatenate(.set { $0.measure(at: tick.elapsed) }, .show)
      }
    )
  }
}

extension MeterStore.Effect {
  /// Shows the current meter; does nothing while the terminal has not taken the last one.
  static var show: Self {
    .read { state in
      let meter = copy state
      return .perform { display in
        await display.show(meter)
        return .none
      }
    }
    .id("show", .keepFirst)
  }
}
