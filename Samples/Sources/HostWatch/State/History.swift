/// The newest values of something that is measured again and again.
struct History: Equatable, Sendable {
  /// The number of values that are kept: enough for the sparkline of a very wide terminal.
  let capacity: Int
  /// The values, from the oldest to the newest.
  private(set) var values: [Double] = []

  init(capacity: Int = 200) {
    precondition(capacity > 0, "a history keeps at least one value")
    self.capacity = capacity
  }

  mutating func append(_ value: Double) {
    if values.count == capacity { values.removeFirst() }
    values.append(value)
  }
}
