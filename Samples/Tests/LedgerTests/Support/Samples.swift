import AsyncStoreActions

@testable import Ledger

extension Posting {
  /// A posting that moves some cents from the cash to an account.
  static func spending(
    _ cents: Int64, on account: String = "Expenses:Food", reference: String? = nil, day: String = "2026-01-31"
  ) throws -> Posting {
    let euro = try Commodity("EUR")
    return try Posting(
      Day(day), "\(cents) cents", reference: reference,
      [
        Entry(Account(account), Amount(units: cents, euro)),
        Entry(Account("Assets:Cash"), Amount(units: -cents, euro)),
      ])
  }
}

extension JournalAction.Change {
  /// Posts one spending of so many cents.
  static func post(_ cents: Int64, reference: String? = nil) throws -> Self {
    .post(postings: [try .spending(cents, reference: reference)])
  }

  /// Any change, most often a posting.
  static func random(using generator: inout SplitMix64) throws -> Self {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<3: return .undo
    case 3..<5: return .redo
    default:
      let count = Int.random(in: 1...3, using: &generator)
      return .post(
        postings: try (0..<count).map { _ in
          // Few references, so that some are taken.
          let reference = Bool.random(using: &generator) ? "r\(Int.random(in: 0..<9, using: &generator))" : nil
          return try .spending(.random(in: 1...10_000, using: &generator), reference: reference)
        })
    }
  }
}

extension Books {
  /// The books after some changes; those that are refused change nothing.
  init(seed: UInt64, changes count: Int) throws {
    self.init()
    var generator = SplitMix64(seed: seed)
    for _ in 0..<count { try? perform(.random(using: &generator)) }
  }
}
