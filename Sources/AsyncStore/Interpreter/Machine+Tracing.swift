extension Machine {
  mutating func traceCommits(_ count: Int, of slot: Int32, _ site: Site<P>, _ pass: inout Pass<P>) {
    guard isTraced else { return }
    pass.directives.append(.trace(.committed(site, count: count, names(of: slot))))
  }

  mutating func traceBegin(of slot: Int32, _ pass: inout Pass<P>) {
    guard isTraced, let site = strands[Int(slot)].site else { return }
    pass.directives.append(.trace(.begun(site, names(of: slot))))
  }

  mutating func traceFailure(of slot: Int32, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isTraced, let site = strands[Int(slot)].site else { return }
    pass.directives.append(.trace(.failed(site, names(of: slot), failure)))
  }

  mutating func traceEnd(of slot: Int32, _ ending: Ending<P.Failure>, _ pass: inout Pass<P>) {
    guard isTraced, let site = strands[Int(slot)].site else { return }
    pass.directives.append(.trace(.ended(site, names(of: slot), ending)))
  }

  func names(of slot: Int32) -> TraceNames<P> {
    var names = TraceNames<P>(label: strands[Int(slot)].nearestLabel)
    var scope = strands[Int(slot)].registration >= 0 ? slot : strands[Int(slot)].scope
    while scope >= 0, names.outer.count < 8 {
      let registration = strands[Int(scope)].registration
      if registration >= 0, let identifier = registrations[Int(registration)].identifier { names.append(identifier) }
      scope = strands[Int(scope)].scope
    }
    return names
  }
}

extension TraceNames {
  fileprivate mutating func append(_ identifier: P.Identifier) {
    if self.identifier == nil { self.identifier = identifier } else { outer.append(identifier) }
  }
}
