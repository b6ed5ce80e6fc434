#if Services
  import AsyncStore
  import AsyncStoreTesting
  import Testing

  /// A state that notes what happened, in order.
  struct Notes: Equatable, Sendable {
    var lines: [String] = []
    var count = 0
  }

  typealias NotesStore = AsyncStore<Notes, Void>

  extension NotesStore.Effect {
    static func note(_ line: String) -> Self { .append(line, to: \.lines) }

    /// An effect that takes some time, and is undone if it is cancelled.
    static func order(_ name: String, taking duration: Duration) -> Self {
      .sequence(
        note("\(name) reserved").compensate(with: note("\(name) released")), .sleep(duration), note("\(name) sent")
      )
      .id(EffectID("order").appending(name))
    }
  }

  extension Simulation {
    func notes() -> NotesStore { store(Notes(), env: ()) }
  }
#endif
