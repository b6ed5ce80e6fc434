/// The outermost effect around a single operation that the operation's own fiber can carry out.
///
/// A fiber has one deadline, one retry and one compensation, and applies them in this order from the inside out. Any
/// other order, or anything else inside, is not an enclosure.
enum Enclosure: UInt8 {
  case none
  /// The operation itself, with nothing around it.
  case operation
  case timeout, retry, compensation

  /// Returns the enclosure formed by an effect of the outer kind around this one.
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
    case .compensate(let body, _): body.enclosure.enclosed(in: .compensation)
    default: .none
    }
  }

  /// The effect inside an enclosure, or `nil` for any other instruction.
  var enclosedBody: P? {
    switch self {
    case .compensate(let body, _), .retry(_, let body), .timeout(_, let body, _): body
    default: nil
    }
  }
}
