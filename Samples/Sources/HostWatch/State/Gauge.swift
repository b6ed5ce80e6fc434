/// The state of a store that watches one part of the machine.
protocol Gauge: Equatable, Sendable {
  associatedtype Reading: Sendable

  /// The name of the part: the store's identifiers start with it.
  static var name: String { get }

  /// Takes a reading of the machine.
  static func read(_ host: Host) throws -> Reading

  /// Why the last reading failed; `nil` after one that did not.
  var failure: String? { get set }

  init()

  /// Takes a reading in that was taken at `time`, by the host's clock.
  mutating func add(_ reading: Reading, at time: Duration)
}
