#if Services
  import AsyncStore
  import AsyncStoreTesting

  extension Simulation {
    /// A store with a name and an instrument, in this simulation's time.
    func notes(_ name: String, _ instrument: any StoreInstrument) -> NotesStore {
      NotesStore(state: Notes(), env: (), name: name, clock: clock, executor: executor, instrument: instrument)
    }
  }

  /// Fails as often as it is told, and then does not.
  actor Flaky {
    struct Failure: Error {}

    private var failures: Int

    init(failures: Int) { self.failures = failures }

    func call() throws {
      guard failures > 0 else { return }
      failures -= 1
      throw Failure()
    }
  }
#endif
