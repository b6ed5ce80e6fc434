import AsyncStore
import Synchronization

/// A draft of a store's state: a copy of the state, and all reads and changes in order.
///
/// At the end, the reads and changes are repeated on the state at that time. If a result differs, others have changed
/// something that the draft depends on.
final class StateDraft<State: Sendable, Env: Sendable>: DraftContent {
  private enum Step: Sendable {
    case change(@Sendable (inout State) throws -> Void)
    case action(DraftedAction<State, Env>)
    /// A check that the state equals the draft in the values that were read.
    ///
    /// The check runs under the store's lock, and hands over the values that it has created.
    case check(@Sendable (State, _ released: inout ReleasedValues) -> Bool)
  }

  private struct Content {
    var state: State
    var steps: [Step] = []
    /// The names of the properties read since the last change.
    var read: Set<ReadName> = []
    var hasChanges = false
    /// True if the whole state was read, and states can't be compared.
    var isIncomparable = false

    mutating func change(_ change: @escaping @Sendable (inout State) throws -> Void) -> Result<Void, any Error> {
      // On a copy, because a change that throws midway has not happened, and its error may be caught.
      var copy = state
      do {
        try change(&copy)
      } catch let first {
        steps.append(
          .check { state, released in
            var copy = state
            defer { released.append(copy) }
            do {
              try change(&copy)
              return false
            } catch {
              released.append(error)
              return isSame(error, first)
            }
          })
        return .failure(first)
      }
      state = copy
      changed(by: .change(change))
      return .success(())
    }

    mutating func changed(by step: Step) {
      steps.append(step)
      read = []
      hasChanges = true
    }
  }

  private let middleware: (any Sendable)?
  private let guarded: CheckedMutex<Content>

  init(_ state: State, middleware: (any Sendable)?) {
    self.middleware = middleware
    guarded = CheckedMutex(Content(state: state))
  }

  private func withLock<Result>(_ body: (inout Content) -> Result) -> Result {
    guarded.withLock(
      "A closure that runs on a transaction's draft used the draft itself. "
        + "Read from the state that the closure is given."
    ) { content in body(&content) }
  }

  var current: State { withLock { $0.state } }

  var whole: State {
    withLock { content in
      if content.state is any Equatable {
        content.steps.append(.check { [state = content.state] current, _ in areEqual(state, current) })
      } else {
        content.isIncomparable = true
      }
      return content.state
    }
  }

  func read<Value: Equatable & Sendable>(
    _ name: ReadName?, _ body: @escaping @Sendable (State) -> Value
  ) -> Value {
    withLock { content in
      let value = body(content.state)
      if name.map({ content.read.insert($0).inserted }) ?? true {
        content.steps.append(
          .check { state, released in
            let current = body(state)
            released.append(current)
            return repeats(current, value)
          })
      }
      return value
    }
  }

  func change(_ change: @escaping @Sendable (inout State) throws -> Void) throws {
    // The closure of `withLock` can't pass an error on.
    let result = withLock { $0.change(change) }
    try result.get()
  }

  func send(_ action: any Sendable, _ drafted: DraftedAction<State, Env>) {
    withLock { content in
      drafted.draft(&content.state, middleware)
      content.changed(by: .action(drafted))
    }
  }

  /// The outcome of a draft's commit.
  enum Outcome {
    case committed(AsyncStore<State, Env>.Effect)
    /// There was nothing to commit: the operation only read.
    case nothing
    /// Others have changed what was read; nothing has changed.
    case conflict
    /// It is impossible to determine whether others have changed what was read; nothing has changed.
    case incomparable
  }

  /// Makes all changes to the state, under the store's lock.
  ///
  /// Values that the changes replace, or have created and not used, are released after the lock.
  func commit(_ ongoing: inout AsyncStore<State, Env>.OngoingCommit, _ state: inout State) -> Outcome {
    let (steps, hasChanges, isIncomparable) = withLock { ($0.steps, $0.hasChanges, $0.isIncomparable) }
    // A draft that only reads saw one consistent state when it was created.
    guard hasChanges else { return .nothing }
    if isIncomparable { return .incomparable }
    var copy = state
    var effects: [AsyncStore<State, Env>.Effect] = []
    func conflict() -> Outcome {
      ongoing.released.append(copy)
      if !effects.isEmpty { ongoing.released.append(effects) }
      return .conflict
    }
    for step in steps {
      switch step {
      case .change(let change):
        do {
          try change(&copy)
        } catch {
          ongoing.released.append(error)
          return conflict()
        }
        ongoing.mutated(copy)
      case .action(let action): effects.append(action.commit(&ongoing, &copy))
      case .check(let holds): guard holds(copy, &ongoing.released) else { return conflict() }
      }
    }
    ongoing.released.append(state)
    state = copy
    return .committed(.merge(effects: effects))
  }
}

/// Returns whether two errors say the same: they are equal or, if their type has no `==`, printed alike.
private func isSame(_ error: any Error, _ other: any Error) -> Bool {
  guard type(of: error) == type(of: other) else { return false }
  let (left, right) = (error as Any, other as Any)
  return left is any Equatable ? areEqual(left, right) : String(reflecting: left) == String(reflecting: right)
}

/// Compares two values of an `Equatable` type.
private func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  func compare<Known: Equatable>(_ left: Known) -> Bool { (right as? Known).map { repeats(left, $0) } ?? false }
  guard let left = left as? any Equatable else { return false }
  return compare(left)
}
