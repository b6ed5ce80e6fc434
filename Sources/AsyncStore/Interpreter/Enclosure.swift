/// The outermost effect around a single operation, of those that the operation's own fiber can do.
///
/// A fiber has one deadline, one retry and one compensation, and does them in this order from the inside out. Any other
/// order, and anything else inside, is no enclosure.
enum Enclosure: UInt8 {
  case none
  /// The operation itself, with nothing around it.
  case operation
  case timeout, retry, compensation

  /// Returns what an effect of the outer kind is with this one inside.
  @inline(__always)
  func enclosed(in outer: Enclosure) -> Enclosure { rawValue > 0 && rawValue < outer.rawValue ? outer : .none }
}

extension Instruction {
  /// The outermost enclosure of the instruction's only operation, or `none` if the instruction does anything else.
  var enclosure: Enclosure {
    switch self {
    case .operate: .operation
    case .timeout(let span, let body, _): span > 0 ? body.enclosure.enclosed(in: .timeout) : .none
    case .retry(_, let body): body.enclosure.enclosed(in: .retry)
    case .compensated(let body, _): body.enclosure.enclosed(in: .compensation)
    default: .none
    }
  }

  /// The effect inside of an enclosure, or `nil` for any other instruction.
  var enclosedBody: P? {
    switch self {
    case .compensated(let body, _), .retry(_, let body), .timeout(_, let body, _): body
    default: nil
    }
  }
}
