/// The progress over time, for the progress bar.
struct Meter: Hashable, Sendable {
  private struct Sample: Hashable {
    var elapsed: Duration
    var work: Double
  }

  /// The progress of the search.
  private(set) var progress = Progress()
  /// The time it has taken so far.
  private(set) var elapsed = Duration.zero
  /// Some of the last measurements of the phase, the oldest first.
  private var samples: [Sample] = [Sample(elapsed: .zero, work: 0)]

  /// The number of measurements of which the rate is the mean.
  ///
  /// More make it steadier, fewer let it follow more quickly.
  private static let window = 50

  /// Takes in the progress of the search.
  mutating func follow(_ progress: Progress) {
    if progress.phase != self.progress.phase { samples = [Sample(elapsed: elapsed, work: 0)] }
    self.progress = progress
  }

  /// Adds a measurement.
  ///
  /// - Parameter elapsed: the time since the search began.
  mutating func measure(at elapsed: Duration) {
    self.elapsed = elapsed
    samples.append(Sample(elapsed: elapsed, work: progress.work.done))
    if samples.count > Self.window { samples.removeFirst() }
  }

  /// The rate: files a second while walking and comparing beginnings, where a file costs the same whatever its size;
  /// bytes a second after that.
  ///
  /// It is `nil` as long as it isn't known.
  var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.elapsed > first.elapsed else { return nil }
    return (last.work - first.work) / ((last.elapsed - first.elapsed) / .seconds(1))
  }

  /// The time this phase will take, at the rate of the last measurements; `nil` as long as it isn't known.
  var timeLeft: Duration? {
    guard let rate, rate > 0, let total = progress.work.total else { return nil }
    return .seconds(max(0, total - progress.work.done) / rate)
  }

  /// The share of this phase that is done, from 0 to 1; `nil` if the total is not known.
  var share: Double? {
    progress.work.total.map { $0 > 0 ? progress.work.done / $0 : 1 }
  }
}

extension Progress {
  /// The amount on which the phase's time depends.
  fileprivate var work: (done: Double, total: Double?) {
    switch phase {
    case .walking: (Double(found.files), nil)
    case .comparingBeginnings: (Double(done.files), Double(total.files))
    case .comparingContents: (Double(done.bytes), Double(total.bytes))
    case .finished: (0, 0)
    }
  }
}
