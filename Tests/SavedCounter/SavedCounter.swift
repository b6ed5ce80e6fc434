/// A number, and a text that follows from it, of a length that keeps changing.
public struct SavedCounter: Codable, Equatable, Sendable {
  /// How often it was counted.
  public private(set) var number = 0
  private var text = ""

  /// Nothing has been counted.
  public init() {}

  /// Counts.
  public mutating func increment() {
    number += 1
    text = Self.text(for: number)
  }

  /// Whether number and text are of the same save.
  public var isWhole: Bool { text == (number == 0 ? "" : Self.text(for: number)) }

  private static func text(for number: Int) -> String {
    String(repeating: "\(number) ", count: 1 + (number * 7_919) % 4_001)
  }
}
