/// A small program over three stores, as plain data: it can be drawn from a seed, run, shrunk and printed.
struct StoreProgram: Equatable, Sendable {
  /// The stores that have an instrument.
  ///
  /// A traced machine takes other paths.
  var instrumented: [StoreName] = []
  var hooks: [ProgramHook] = []
  var steps: [ProgramAction] = []
}

enum StoreName: Int, CaseIterable {
  case a, b, c
}

/// A number in a store's state.
enum ProgramCell: Int, CaseIterable {
  case x, y
}

indirect enum ProgramEffect: Equatable, Sendable {
  case none
  /// Sets the cell to a number that no cell has had.
  case set(ProgramCell)
  /// Makes far more commits than the store makes in one lock.
  case long
  /// Makes the store's list longer or shorter by one.
  case push, pop
  case concatenate([ProgramEffect])
  case merge([ProgramEffect])
  case task(ProgramOperation)
  case sleep(Int)
  case timer(Int, every: Int, ProgramEffect)
  case id(Int, ProgramEffect, policy: ProgramPolicy = .replace)
  case cancel(Int)
  case lift(StoreName, ProgramEffect)
  /// A chain of nested lifts of this depth, from store to store, the innermost into the named store.
  case deepLift(StoreName, depth: Int, ProgramEffect)
  /// A chain of this many operations. Each returns the next, and each closure holds the next effect.
  case deepTasks(Int)
  case finally(ProgramEffect, ProgramEffect)
  /// Each member but the last is compensated by the `undo`.
  case sequence([ProgramEffect], undo: ProgramEffect)
  case race([ProgramEffect])
  case timeout(Int, ProgramEffect)
  case recover(ProgramEffect, answer: ProgramEffect, then: [ProgramAction] = [])
}

enum ProgramPolicy: CaseIterable {
  case replace, keepFirst, queue, replaceAfterCleanup
}

struct ProgramOperation: Equatable, Sendable {
  enum End: Equatable, Sendable {
    case returns(ProgramEffect)
    case fails
  }

  /// True if the operation waits for the step that finishes it.
  var waits = true
  /// True if a cancel ends the operation.
  var obeys = false
  var end = End.returns(.none)
  /// The actions that the operation performs first.
  var body: [ProgramAction] = []
  var onCancel: [ProgramAction] = []
}

/// An action of the test, or of code that a store calls.
indirect enum ProgramAction: Equatable, Sendable {
  case receive(StoreName, ProgramEffect)
  case cancel(StoreName, Int)
  /// Cancels by the handle of the n-th effect that was received.
  case cancelHandle(Int)
  case deactivate(StoreName)
  /// Begins a shutdown, in a task of its own.
  case shutdown(StoreName, drain: Int, cleanup: Int)
  case activate(StoreName)
  case bind(ProgramBinding)
  /// A read inside Observation's tracking, whose body then goes on with the actions.
  case track(StoreName, ProgramCell, then: [ProgramAction] = [], onChange: [ProgramAction] = [])
  /// The same for the list's element at an index, if there is one.
  case trackElement(StoreName, Int)
  /// A wait until the cell's value divided by 3 leaves the remainder. The first look goes on with the actions.
  case wait(StoreName, ProgramCell, remainder: Int, then: [ProgramAction] = [])
  /// A wait until the list's element at an index is above any value that it can have.
  case waitForElement(StoreName, Int)
  /// Ends the n-th of the operations that wait.
  case finish(Int)
  /// Lets time pass. It is used only as a step.
  case advance(Int)
}

struct ProgramBinding: Equatable, Sendable {
  enum Kind: Equatable {
    /// The downstream store has a copy, which nothing else writes.
    case copy
    /// The downstream's cell becomes the larger of the two: fit for cycles.
    case maximum
  }

  var id: Int
  var down: StoreName
  var up: StoreName
  var cell: ProgramCell
  var kind = Kind.copy
  /// The index of the call of the mapping closure that does more.
  var at = 0
  var then: [ProgramAction] = []
  /// The effect that is interpreted with that call's value.
  var effect = ProgramEffect.none
}

/// Code that a store calls once, at the n-th opportunity, and that does more than observe.
struct ProgramHook: Equatable, Sendable {
  enum Place: Equatable {
    case instrument, listener, mapError
  }

  var place: Place
  var store: StoreName
  var at: Int
  var then: [ProgramAction]
}
