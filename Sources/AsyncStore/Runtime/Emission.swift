/// The effect of a source's value with all its immediate consequences, including those in other stores.
///
/// The effect begins on the thread that delivers the value, which has other work. If part of the effect becomes very
/// long, that part continues in a task. The effects of the source's next values wait until then, because they come
/// after this one.
struct Emission: Sendable {
  let runtime: Runtime
  let source: FiberID
  /// The fiber of the effect.
  let child: FiberID

  init?(of child: FiberID?, from source: FiberID, in runtime: Runtime) {
    guard let child else { return nil }
    (self.runtime, self.source, self.child) = (runtime, source, child)
  }

  /// Records that a part of the emission continues in a task.
  func continuesElsewhere() { runtime.lockOnly { $0.machine.emissionDelayed(source, by: child) } }

  /// Records that such a part has ended, and begins the effects that waited for it.
  func partEnded() {
    if runtime.lock({ $0.machine.emissionEnded(source, of: child) }) { beginNext() }
  }

  /// Begins the waiting effects, one after the other.
  private func beginNext() {
    for _ in 0..<InlineWorkLimit.emissions {
      var next: FiberID?
      runtime.perform(
        mayCommit: runtime.takeTurnsIfHere(from: source),
        handover: .everything(Emission(of: next, from: source, in: runtime))
      ) { core in
        next = core.machine.emissionsContinued(source, &core.pass)
      }
      if next == nil { return }
    }
    // In a cycle, there may be no end of them.
    runtime.continueInTask(onActor: runtime.isOnIsolation()) { self.beginNext() }
  }
}
