/// The object that a higher module associates with a store.
extension AsyncStore {
  /// Reads and changes the object that a higher module associates with the store, under the state's lock.
  package func withAssociatedObject<Result>(_ body: (inout AnyObject?, State) -> Result) -> Result {
    runtime.lock { _ in body(&runtime.associatedObject, Self.state(of: runtime).pointee) }
  }

  /// Returns the listener that a higher module associates with the store.
  ///
  /// The listener is created at the first call, and sees each commit from then on.
  package func associatedListener<Listener: CommitListener<State>>(make: (State) -> Listener) -> Listener {
    runtime.lock { core in
      if let known = runtime.associatedObject {
        guard let listener = known as? Listener else {
          fatalError("A store can have one associated object, and has a \(type(of: known)). Use its module alone.")
        }
        return listener
      }
      let new = make(Self.state(of: runtime).pointee)
      runtime.associatedObject = new
      core.append(ListenerObserver(new, isPermanent: true))
      return new
    }
  }
}
