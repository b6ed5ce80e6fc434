import AsyncStore

/// A transaction on its way to the store whose state it changes.
struct TransactionMessage<State: Sendable, Env: Sendable>: Sendable {
  typealias Effect = AsyncStore<State, Env>.Effect
  typealias OngoingCommit = AsyncStore<State, Env>.OngoingCommit

  let transaction: StateTransaction<State, Env>
  /// The run of a transaction that is begun by itself.
  ///
  /// A transaction that is part of other effects has a new run each time it begins.
  let run: TransactionRun?
  let group: TransactionGroup?
  /// The place where the transaction was begun, used for all of its effects.
  let (file, line): (StaticString, UInt)

  /// Returns the same message for the store whose state contains this one's as a part.
  func embedded<Whole: Sendable, WholeEnv: Sendable>(
    in part: Part<Whole, State>, environment: @escaping @Sendable (WholeEnv) -> Env,
    _ embedding: TransactionEmbedding<Whole, WholeEnv>
  ) -> AsyncStore<Whole, WholeEnv>.Effect {
    .transaction(
      transaction.embedded(in: part, environment: environment, embedding), run, group: group, file: file, line: line)
  }

  /// Begins the transaction, under the store's lock, like every function that takes an ongoing commit.
  func begin(_ ongoing: inout OngoingCommit, _ state: inout State) -> Effect {
    let newRun = run == nil ? TransactionRun(transaction.name) : nil
    guard let run = run ?? newRun else { preconditionFailure("a transaction without a run") }
    return BegunTransaction(message: self, run: run, ending: newRun.map(TransactionEnding.init))
      .begin(&ongoing, &state)
  }
}

/// A transaction that has begun.
private struct BegunTransaction<State: Sendable, Env: Sendable>: Sendable {
  typealias Effect = TransactionMessage<State, Env>.Effect
  typealias OngoingCommit = TransactionMessage<State, Env>.OngoingCommit

  let message: TransactionMessage<State, Env>
  let run: TransactionRun
  /// Held by each effect that continues the transaction; `nil` if the run follows a handle.
  let ending: TransactionEnding?

  private var transaction: StateTransaction<State, Env> { message.transaction }

  func begin(_ ongoing: inout OngoingCommit, _ state: inout State) -> Effect {
    if let participant = ongoing.participant { run.watch(participant.begun(run)) }
    run.reach(.started)
    switch transaction.body {
    case .change(let change):
      var copy = state
      do {
        try change(&copy)
      } catch {
        ongoing.commitsNothing = true
        ongoing.released.append(copy)
        return failed(error)
      }
      ongoing.released.append(state)
      state = copy
      return commit(&ongoing) { ongoing in
        ongoing.mutated(copy)
        return Effect.none
      } ?? .none
    case .operation(let operation):
      return begin(operation, attempt: 1, &ongoing, state)
    }
  }

  private func begin(
    _ operation: @escaping StateTransaction<State, Env>.Operation, attempt: Int, _ ongoing: inout OngoingCommit,
    _ state: State
  ) -> Effect {
    // This only looks at the state, and commits nothing.
    ongoing.commitsNothing = true
    let content = StateDraft<State, Env>(state, middleware: ongoing.participant?.interceptors)
    return .perform(
      { env in
        run.report()
        do {
          try await operation(
            TransactionDraft(content, env: env, attempt: attempt) { message.group?.error(before: run.name) })
        } catch {
          if Task.isCancelled { throw error }
          return failed(error)
        }
        return .dispatch(message, message.file, message.line) { ongoing, state in
          end(operation, content, attempt: attempt, &ongoing, &state)
        }
      }, file: message.file, line: message.line)
  }

  private func end(
    _ operation: @escaping StateTransaction<State, Env>.Operation, _ content: StateDraft<State, Env>, attempt: Int,
    _ ongoing: inout OngoingCommit, _ state: inout State
  ) -> Effect {
    var outcome = StateDraft<State, Env>.Outcome.conflict
    let effect = commit(&ongoing) { ongoing -> Effect? in
      outcome = content.commit(&ongoing, &state)
      if case .committed(let effect) = outcome { return effect }
      return nil
    }
    if let effect { return effect }
    if case .nothing = outcome {
      run.reach(.completed)
      return over()
    }
    if case .incomparable = outcome { return failed(.incomparable(in: transaction)) }
    guard attempt < transaction.attemptLimit else { return failed(.conflict(in: transaction)) }
    let next = attempt + 1
    guard next > Self.attemptsAtOnce else { return begin(operation, attempt: next, &ongoing, state) }
    // Quicker transactions commit all the time. The longer this one waits, the fewer of them are left that do not wait
    // themselves.
    return .concatenate(
      .sleep(Self.pause(before: next), file: message.file, line: message.line),
      .dispatch(message, message.file, message.line) { ongoing, state in
        begin(operation, attempt: next, &ongoing, state)
      }, file: message.file, line: message.line)
  }

  /// The number of runs without a pause.
  private static var attemptsAtOnce: Int { 10 }

  /// Returns the pause before a run, from 0.1 ms, doubled each time, to 12.8 ms.
  private static func pause(before attempt: Int) -> Duration {
    .microseconds(100 << min(attempt - attemptsAtOnce - 1, 7))
  }

  private func commit(
    _ ongoing: inout OngoingCommit, _ body: (inout OngoingCommit) -> Effect?
  ) -> Effect? {
    guard let effect = ongoing.changeAsWhole(body) else { return nil }
    ongoing.cause = run
    run.reach(.completed)
    if effect.isNone { return over() }
    // The effects of the actions are not awaited.
    let reporting = task {
      run.report()
      return .none
    }
    return .merge(effect, reporting, file: message.file, line: message.line)
  }

  /// Returns the effect of a transaction that nothing follows; the run is notified once the lock is released.
  private func over() -> Effect {
    guard let ending else { return .none }
    return .read { _ in withExtendedLifetime(ending) { .none } }
  }

  private func failed(_ error: any Error) -> Effect {
    run.reach(.failed(error))
    message.group?.fail(run.name, error)
    return task {
      run.report()
      throw error
    }
  }

  private func task(_ operation: @escaping @Sendable () async throws -> Effect) -> Effect {
    .task(operation, file: message.file, line: message.line)
  }

  private func failed(_ error: TransactionError) -> Effect { failed(error as any Error) }
}

/// Ends the run of a transaction that is part of other effects.
///
/// The effects that continue the transaction hold this object. A store releases its effects after its lock, whether
/// they have ended, were cancelled or never began. The transaction is over when the last of them is released.
private final class TransactionEnding: Sendable {
  private let run: TransactionRun

  init(_ run: TransactionRun) { self.run = run }

  deinit { run.end() }
}
