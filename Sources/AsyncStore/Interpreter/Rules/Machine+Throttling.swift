/// Throttles: a window for each identifier, and the effect that waits for the window to end.
///
/// Law 15. Events: none of its own. Activities: `window`, `throttled`.
extension Machine {
  mutating func beginThrottle(
    _ identifier: P.Identifier, _ span: Moment.Span, leading: Bool, trailing: Bool, _ body: P,
    from slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    let registration = registry.register(identifier)
    guard span > 0 else { return openScope(registration, body, from: slot, &pass) }
    if !registry[registration].window.exists {
      openWindow(span, of: registration, &pass)
      if leading { return openScope(registration, body, from: slot, &pass) }
    } else if !trailing {
      return drop(slot, &pass)
    }
    let earlier = registry[registration].throttled
    let effect = options.isTraced ? fibers[slot].effect : nil
    let scope = carrier(from: slot, &pass)
    if let effect { fibers[scope].leftEffect = P.withoutReferences(effect) }
    push(body, on: scope)
    fibers[scope].activity = .throttled(span)
    pass.hasWaits = true
    fibers[scope].registration = registration
    traceWait(.window, of: scope, &pass)
    // Set before the cancel, so that effects that join the identifier always find a throttled effect.
    registry[registration].throttled = scope
    if earlier.exists { cancelScope(earlier, &pass) }
  }

  /// Opens a throttle's window.
  ///
  /// The window belongs to the store and not to the tree that opened it, and outlives that tree.
  private mutating func openWindow(_ span: Moment.Span, of registration: RegistrationSlot, _ pass: inout Pass<P>) {
    let window = makeRoot(context: nil, &pass)
    fibers[window].flags.insert(.silent)
    fibers[window].activity = .window
    counts.windows += 1
    hold(window, registration)
    registry[registration].window = window
    setDeadline(of: window, at: pass.now().advanced(by: span), &pass)
  }

  mutating func endWindow(_ window: FiberSlot, at deadline: Moment, _ pass: inout Pass<P>) {
    let registration = fibers[window].registration
    let scope = registry[registration].throttled
    guard scope.exists, case .throttled(let span) = fibers[scope].activity else {
      registry[registration].window = .none
      counts.windows -= 1
      return settle(window, &pass)
    }
    registry[registration].throttled = .none
    occupy(scope, registration)
    traceWaitEnd(.window, of: scope, &pass)
    setDeadline(of: window, at: deadline.advanced(by: span), &pass)
    makeReady(scope)
  }
}
