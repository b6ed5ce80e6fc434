/// The state of a store that watches one part of the machine.
protocol Gauge: Equatable, Sendable {
  associatedtype Reading: Sendable

  /// The name of the part, with which the store's identifiers start.
  static var name: String { get }

  /// Takes a reading of the machine.
  static func read(_ host: Host) throws -> Reading

  /// The reason why the last reading failed, or `nil` after a success.
  var failure: String? { get set }

  init()

  /// Adds a reading that was taken at `time`, by the host's clock.
  mutating func add(_ reading: Reading, at time: Duration)
}
