import AsyncStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Laws {
  /// Checks that values are the same once they have been encoded as JSON and decoded.
  ///
  /// - Parameter values: at least one, otherwise traps, because a test of nothing would pass.
  /// - Throws: ``SimulationFailure`` with the code `law`; the errors of the coding.
  public static func roundTrips<Value: Codable & Equatable>(_ values: [Value]) throws {
    trap(unless: !values.isEmpty, "A check of no values would find nothing; try at least one.")
    for value in values {
      let decoded = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
      if decoded == value { continue }
      throw SimulationFailure(
        .law, "The round trip changes the value: \(value) is decoded as \(decoded).", schedule: nil)
    }
  }

  /// Checks that JSON of earlier versions can still be read.
  ///
  /// - Parameters:
  ///   - type: the type that the texts are decoded as.
  ///   - texts: texts that earlier versions have written; at least one, otherwise traps, because a test of nothing
  ///     would pass.
  /// - Returns: the values, for further checks.
  /// - Throws: ``SimulationFailure`` with the code `law`, naming the first text that can't be read.
  @discardableResult
  public static func decodes<Value: Decodable>(_ type: Value.Type = Value.self, from texts: [String]) throws -> [Value]
  {
    trap(unless: !texts.isEmpty, "A check of no texts would find nothing; try at least one.")
    return try texts.map { text in
      do {
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
      } catch {
        throw SimulationFailure(.law, "\(Value.self) can't be read from \(text): \(error)", schedule: nil)
      }
    }
  }
}
