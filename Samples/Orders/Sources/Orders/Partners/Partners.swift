/// A call to one of the partners: the warehouse, the bank, the carrier.
enum PartnerCall: String, Hashable, Sendable, CaseIterable {
  case reserve, release
  case charge, refund
  case ship, recall

  /// True if it takes another call back.
  var isUndo: Bool { self == .release || self == .refund || self == .recall }

  /// All partners.
  static let partners = Set(allCases.map(\.partner)).sorted()

  /// The partner that is called.
  var partner: String {
    switch self {
    case .reserve, .release: "warehouse"
    case .charge, .refund: "bank"
    case .ship, .recall: "carrier"
    }
  }
}

/// The partners of the service, as one function, so that tests and demonstrations have their own.
///
/// A call for an order may come more than once: partners know orders by their numbers, so that the second has no
/// further effect.
struct Partners: Sendable {
  let call: @Sendable (PartnerCall, Order) async throws -> Void
}

/// An error of a partner.
enum PartnerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It may work the next time.
  case unavailable(String)
  /// It did not answer in time, and may the next time.
  case timedOut(String)
  /// The answer is no, and will be.
  case refused(String)

  var isTransient: Bool { if case .refused = self { false } else { true } }

  var description: String {
    switch self {
    case .unavailable(let partner): "the \(partner) is not available"
    case .timedOut(let partner): "the \(partner) does not answer"
    case .refused(let partner): "the \(partner) refuses"
    }
  }
}
