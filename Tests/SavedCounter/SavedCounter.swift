/// A number, and a text derived from it, whose length keeps changing.
public struct SavedCounter: Codable, Equatable, Sendable {
  /// The count.
  public private(set) var number = 0
  private var text = ""

  /// Creates a counter at 0.
  public init() {}

  /// Increments the number, and changes the text to match.
  public mutating func increment() {
    number += 1
    text = Self.text(for: number)
  }

  /// True if number and text come from the same save.
  public var isWhole: Bool { text == (number == 0 ? "" : Self.text(for: number)) }

  private static func text(for number: Int) -> String {
    String(repeating: "\(number) ", count: 1 + (number * 7_919) % 4_001)
  }
}
