/// The effect of a source's value, with all that follows from it at once, in other stores too.
///
/// It begins on the thread that delivers the value, which has other work: if a pass of it becomes very long, that goes
/// on in a task. The effects of the source's next values wait until then, because they come after this one.
struct Emission: Sendable {
  let runtime: Runtime
  let source: FiberID

  /// Records that a part of the emission goes on in a task.
  func goesOnElsewhere() { runtime.lockOnly { $0.machine.emissionDelayed(source) } }

  /// Records that such a part has ended; after the last one the effects begin that have waited for it.
  func partEnded() {
    var goesOn = true
    while goesOn {
      runtime.perform(mayCommit: runtime.comesInLine(), handover: .everything(self)) { core in
        goesOn = core.machine.emissionEnded(source, &core.pass)
      }
    }
  }
}
