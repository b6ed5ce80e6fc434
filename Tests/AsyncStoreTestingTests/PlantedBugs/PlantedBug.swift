import AsyncStoreTesting
import Testing

/// A program of a service that is correct, unless its bug is switched on.
struct PlantedBug: Sendable, CustomTestStringConvertible {
  let name: String
  /// A part of the failure's description.
  let symptom: String
  /// Runs the program with or without the bug, and throws if the program behaved wrongly.
  let body: @Sendable (Simulation, _ hasBug: Bool) async throws -> Void

  var testDescription: String { name }

  /// The number of schedules within which each bug is found, and none in the correct program.
  static let schedules = 1_000

  static let all = concurrency + caching + messaging + leases + elections + storage
}
