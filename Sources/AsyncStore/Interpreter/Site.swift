/// One effect of a program, from which the shell gets the user's closure for a directive.
struct Site<P: Program> {
  let program: P
  private let place: Int32

  init(program: P, index: Int) {
    self.program = program
    place = Int32(index)
  }

  var index: Int { Int(place) }
  /// The effect alone, as a program.
  var effect: P { program.part(index..<index + 1) }
}

extension Site: Equatable where P: Equatable {}
extension Site: Sendable where P: Sendable {}
