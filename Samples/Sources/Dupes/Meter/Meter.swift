/// The progress over time: what the progress bar shows.
struct Meter: Hashable, Sendable {
  private struct Sample: Hashable {
    var elapsed: Duration
    var work: Double
  }

  /// How far the search has come.
  private(set) var progress = Progress()
  /// How long it has taken so far.
  private(set) var elapsed = Duration.zero
  /// Some of the last measurements of the phase, the oldest first.
  private var samples: [Sample] = [Sample(elapsed: .zero, work: 0)]

  /// How many measurements the rate is the mean of.
  ///
  /// More make it steadier, fewer let it follow more quickly.
  private static let window = 50

  /// Takes in how far the search has come.
  mutating func follow(_ progress: Progress) {
    if progress.phase != self.progress.phase { samples = [Sample(elapsed: elapsed, work: 0)] }
    self.progress = progress
  }

  /// Measures.
  ///
  /// - Parameter elapsed: the time since the search began.
  mutating func measure(at elapsed: Duration) {
    self.elapsed = elapsed
    samples.append(Sample(elapsed: elapsed, work: progress.work.done))
    if samples.count > Self.window { samples.removeFirst() }
  }

  /// Files a second while walking and comparing beginnings, where a file costs the same whatever its size; bytes a
  /// second after that.
  ///
  /// `nil` as long as it isn't known.
  var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.elapsed > first.elapsed else { return nil }
    return (last.work - first.work) / ((last.elapsed - first.elapsed) / .seconds(1))
  }

  /// How long this phase will take, at the rate of the last measurements; `nil` as long as it isn't known.
  var timeLeft: Duration? {
    guard let rate, rate > 0, let total = progress.work.total else { return nil }
    return .seconds(max(0, total - progress.work.done) / rate)
  }

  /// How much of this phase is done, from 0 to 1; `nil` where nobody knows how much there is.
  var share: Double? {
    progress.work.total.map { $0 > 0 ? progress.work.done / $0 : 1 }
  }
}

extension Progress {
  /// What the phase's time depends on.
  fileprivate var work: (done: Double, total: Double?) {
    switch phase {
    case .walking: (Double(found.files), nil)
    case .comparingBeginnings: (Double(done.files), Double(total.files))
    case .comparingContents: (Double(done.bytes), Double(total.bytes))
    case .finished: (0, 0)
    }
  }
}
