/// Effects that enclose another one, whose strand they watch.
extension Machine {
  mutating func beginTimeout(
    _ span: Moment.Span, _ body: consuming P, otherwise: consuming P, _ slot: Int32, _ pass: inout Pass<P>
  ) {
    guard span > 0 else { return push(otherwise, on: slot) }
    strands[Int(slot)].activity = .bounding(otherwise: otherwise)
    setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
    beginBody(body, of: slot, boundary: true, &pass)
  }

  mutating func beginRecovery(_ body: consuming P, at site: Site<P>, _ slot: Int32, _ pass: inout Pass<P>) {
    let child = beginBody(body, of: slot, boundary: true, &pass)
    recoveries[child] = Recovery(site: site, outer: strands[Int(slot)].catcher)
    strands[Int(child)].catcher = child
    strands[Int(child)].flags.formUnion([.recovers, .lingers])
    strands[Int(slot)].activity = .waiting
  }

  mutating func beginFinally(_ body: consuming P, cleanup: consuming P, _ slot: Int32, _ pass: inout Pass<P>) {
    strands[Int(slot)].activity = .finalizing(cleanup: cleanup)
    beginBody(body, of: slot, boundary: false, &pass)
  }

  @discardableResult
  mutating func beginBody(_ body: consuming P, of slot: Int32, boundary: Bool, _ pass: inout Pass<P>) -> Int32 {
    let child = makeChild(of: slot, attached: true, boundary: boundary, &pass)
    push(body, on: child)
    makeReady(child)
    return child
  }

  /// A timeout's deadline has passed: first the barrier, then its `else`.
  mutating func timeOut(_ slot: Int32, otherwise: P, _ pass: inout Pass<P>) {
    // Ready, so that the end of what is cancelled doesn't have the strand go on.
    strands[Int(slot)].activity = .ready
    let height = ready.count
    cancelAttachedChildren(of: slot, &pass)
    strands[Int(slot)].activity = .waiting
    let child = makeChild(of: slot, attached: true, &pass)
    push(otherwise, on: child)
    makeReady(child, behind: height)
  }

  /// Has an effect run below the strand `slot`, which recovers, and can't be the one that retries or races too: an
  /// error would not know which of the two catches it.
  mutating func beginBelowRecovery(_ site: Site<P>, _ slot: Int32, _ pass: inout Pass<P>) {
    let child = makeChild(of: slot, attached: true, &pass)
    push(site.program, from: site.index, to: site.index + 1, on: child)
    strands[Int(slot)].activity = .waiting
    makeReady(child)
  }
}
