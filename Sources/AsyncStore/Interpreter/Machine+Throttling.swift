extension Machine {
  mutating func beginThrottle(
    _ identifier: P.Identifier, _ span: Moment.Span, leading: Bool, trailing: Bool, _ body: P, at site: Site<P>,
    from slot: Int32, _ pass: inout Pass<P>
  ) {
    let registration = registration(for: identifier)
    guard span > 0 else { return openScope(registration, body, from: slot, &pass) }
    if registrations[Int(registration)].window < 0 {
      openWindow(span, of: registration, &pass)
      if leading { return openScope(registration, body, from: slot, &pass) }
    } else if !trailing {
      return drop(slot, &pass)
    }
    let earlier = registrations[Int(registration)].throttled
    let scope = carrier(from: slot, &pass)
    push(body, on: scope)
    strands[Int(scope)].activity = .throttled
    pass.hasWaits = true
    strands[Int(scope)].registration = registration
    // First, so that there is one throughout for those that join the identifier.
    registrations[Int(registration)].throttled = scope
    if earlier >= 0 { cancelScope(earlier, &pass) }
  }

  /// The window belongs to the store and not to the tree whose effect opened it: it outlives that tree.
  private mutating func openWindow(_ span: Moment.Span, of registration: Int32, _ pass: inout Pass<P>) {
    let window = makeRoot(context: nil, &pass)
    strands[Int(window)].flags.insert(.silent)
    strands[Int(window)].activity = .window(span)
    windowCount += 1
    link(window, to: .holders, of: registration)
    registrations[Int(registration)].window = window
    setDeadline(of: window, at: pass.now().advanced(by: span), &pass)
  }

  mutating func endWindow(_ window: Int32, _ span: Moment.Span, at deadline: Moment, _ pass: inout Pass<P>) {
    let registration = strands[Int(window)].registration
    let scope = registrations[Int(registration)].throttled
    guard scope >= 0 else {
      registrations[Int(registration)].window = -1
      windowCount -= 1
      return settle(window, &pass)
    }
    registrations[Int(registration)].throttled = -1
    link(scope, to: .holders, of: registration)
    registrations[Int(registration)].active += 1
    setDeadline(of: window, at: deadline.advanced(by: span), &pass)
    makeReady(scope)
  }
}
