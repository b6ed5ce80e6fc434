import Foundation

/// A step from one version of a program's saved data to the next.
///
/// ```swift
/// struct Old: Codable { var name = "" }
/// struct New: Codable { var first = "", last = "" }
/// let split = Migration(from: 1) { (old: Old) in
///   let words = old.name.split(separator: " ").map(String.init)
///   return New(first: words.first ?? "", last: words.last ?? "")
/// }
/// // split.version == 1
/// ```
public struct Migration: Sendable {
  /// The version that the step starts from; the step leads to the next one.
  public let version: Int
  let body: @Sendable (Data) throws -> Data

  /// Creates a step from one type to another.
  ///
  /// - Parameters:
  ///   - version: the version that the step starts from.
  ///   - body: makes a value of the next version; if it throws, the data is refused.
  public init<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
    from version: Int, _ body: @escaping @Sendable (Old) throws -> New
  ) {
    self.init(fromJSONOfVersion: version) { data in
      try JSONValue(encoding: body(try JSONValue(data: data).decoded())).data
    }
  }

  /// Creates a step from JSON to JSON, for data whose types are gone.
  public init(fromJSONOfVersion version: Int, _ body: @escaping @Sendable (Data) throws -> Data) {
    self.version = version
    self.body = body
  }
}
