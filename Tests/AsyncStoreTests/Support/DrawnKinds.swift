@testable import AsyncStore

/// The kinds of things that a generated case is made of.
///
/// In half of the cases these are all kinds. In the others they are a few, so that these meet each other more often
/// ("Swarm Testing", Groce et al., ISSTA 2012).
struct DrawnKinds {
  private let kinds: [Int]

  /// - Parameters:
  ///   - count: the number of kinds. One that is to be drawn more often has several of these numbers.
  ///   - areFew: true for about a quarter of them, but one at least.
  init(of count: Int, areFew: Bool, using generator: inout SplitMix64) {
    guard areFew else {
      kinds = Array(0..<count)
      return
    }
    let few = (0..<count).filter { _ in generator.next() % 4 == 0 }
    kinds = few.isEmpty ? [Int(generator.next() % UInt64(count))] : few
  }

  /// Draws one of the kinds.
  func draw(using generator: inout SplitMix64) -> Int { kinds[Int(generator.next() % UInt64(kinds.count))] }
}
