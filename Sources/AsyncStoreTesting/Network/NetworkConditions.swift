import AsyncStore

/// The faults of a link between two hosts.
///
/// Each fault of each message is a choice of the schedule: it is replayed with the schedule, and shrinking removes the
/// faults that a failure does not need. In a simulation without a seed, and under the fair schedule of
/// ``Simulation/eventually(within:rounds:_:)``, messages have the minimum latency, and only faults of probability 1
/// happen, which are not a choice.
///
/// ```swift
/// let lossy = NetworkConditions(latency: .milliseconds(1) ... .milliseconds(20), loss: 0.1, duplication: 0.05)
/// // lossy.loss == 0.1
/// ```
public struct NetworkConditions: Hashable, Sendable {
  /// The time from sending to delivery; one of five values between the bounds, or the time until one of the first three
  /// deadlines between them.
  public let latency: ClosedRange<Duration>
  /// The probability that a message is lost, from 0 to 1.
  public let loss: Double
  /// The probability that a message is delivered twice, from 0 to 1.
  public let duplication: Double
  /// The probability that a message does not wait for messages sent earlier on the same link, from 0 to 1.
  ///
  /// With 0, a link delivers in the order of sending, like a TCP connection. With 1, each message is delivered when its
  /// own latency has passed, like a UDP datagram. Without a range of latencies, the value makes no difference.
  public let reordering: Double

  /// A network without faults or latency.
  public static let ideal = NetworkConditions()

  /// Creates the conditions of a network or a link.
  ///
  /// Traps if a latency is negative, or a probability is not from 0 to 1.
  ///
  /// - Parameters:
  ///   - latency: the time from sending to delivery; by default no time.
  ///   - loss: the probability that a message is lost; by default 0.
  ///   - duplication: the probability that a message is delivered twice; by default 0.
  ///   - reordering: the probability that a message may overtake others; by default 0.
  public init(
    latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0, duplication: Double = 0, reordering: Double = 0
  ) {
    trap(unless: latency.lowerBound >= .zero, "A latency can't be negative, and this is \(latency.lowerBound).")
    for (name, value) in [("loss", loss), ("duplication", duplication), ("reordering", reordering)] {
      trap(unless: 0...1 ~= value, "A probability is from 0 to 1, and the \(name) is \(value).")
    }
    self.latency = latency
    self.loss = loss
    self.duplication = duplication
    self.reordering = reordering
  }

  /// Returns whether a message may overtake others, as a choice of the schedule.
  func choosesReordering(_ scheduler: Scheduler) -> Bool {
    latency.lowerBound < latency.upperBound && scheduler.choosesFault(reordering)
  }
}
