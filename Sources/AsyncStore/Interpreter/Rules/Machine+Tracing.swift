/// The events that instruments are told of.
///
/// Law 24: they change nothing else. Events: none of its own. Activities: none.
extension Machine {
  mutating func traceCommits(_ count: Int, of slot: FiberSlot, _ site: Site<P>, _ pass: inout Pass<P>) {
    guard isTraced else { return }
    pass.directives.append(.trace(.committed(site, count: count, names(of: slot))))
  }

  mutating func traceBegin(of slot: FiberSlot, _ pass: inout Pass<P>) {
    guard isTraced, let effect = fibers[slot].effect else { return }
    pass.directives.append(.trace(.begun(effect, names(of: slot))))
  }

  mutating func traceFailure(of slot: FiberSlot, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isTraced, let effect = fibers[slot].effect else { return }
    pass.directives.append(.trace(.failed(effect, names(of: slot), failure)))
  }

  mutating func traceEnd(of slot: FiberSlot, _ ending: Ending<P.Failure>, _ pass: inout Pass<P>) {
    guard isTraced, let effect = fibers[slot].effect else { return }
    pass.directives.append(.trace(.ended(effect, names(of: slot), ending)))
  }

  func names(of slot: FiberSlot) -> TraceNames<P> {
    var names = TraceNames<P>(label: fibers[slot].nearestLabel)
    var scope = fibers[slot].registration.exists ? slot : fibers[slot].scope
    while scope.exists, names.outer.count < 8 {
      let registration = fibers[scope].registration
      if registration.exists, let identifier = registry[registration].identifier { names.append(identifier) }
      scope = fibers[scope].scope
    }
    return names
  }
}

extension TraceNames {
  fileprivate mutating func append(_ identifier: P.Identifier) {
    if self.identifier == nil { self.identifier = identifier } else { outer.append(identifier) }
  }
}
