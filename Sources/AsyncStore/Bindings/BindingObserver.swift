/// The observer of a property that a store, possibly the same one, is bound to.
///
/// `@unchecked` because its superclass is; its own part is constants of `Sendable` types.
final class BindingObserver<State: Sendable, Value: Sendable, DownState: Sendable, DownEnv: Sendable>: ValueObserver<
  State, Value
>,
@unchecked Sendable
{
  // The run's downstream store, kept here too so that no reference to it is counted for each value.
  private let downstream: Runtime
  // The run also keeps this binding alive, until the run ends or is asked to end.
  private let run: Run
  private let name: EffectID
  private let mapEffect: AsyncStore<DownState, DownEnv>.ValueMapping<Value>

  init(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: @escaping ValueComparison<Value>, name: EffectID, run: Run,
    mapEffect: @escaping AsyncStore<DownState, DownEnv>.ValueMapping<Value>
  ) {
    self.run = run
    downstream = run.runtime
    self.name = name
    self.mapEffect = mapEffect
    super.init(keyPath, areEqual: areEqual)
  }

  override var identifier: EffectID? { name }
  override var downstreamRuntime: Runtime? { downstream }

  override func deliver() {
    // Values that wait when the binding ends are no longer mapped.
    downstream.emit(mapEffect(prepared), from: run.id, unless: run.isCancelled) {
      downstream.interpretEmission($0, from: run.id, isInTree: false)
    }
  }

  override func end() { run.runtime.sourceEnded(run) }
}
