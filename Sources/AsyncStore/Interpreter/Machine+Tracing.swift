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
    let scope = strands[Int(slot)].registration >= 0 ? slot : strands[Int(slot)].scope
    let registration = scope < 0 ? -1 : strands[Int(scope)].registration
    return TraceNames(
      identifier: registration < 0 ? nil : registrations[Int(registration)].identifier,
      label: strands[Int(slot)].nearestLabel)
  }
}
