extension AsyncStore {
  // MARK: Operations

  /// Runs a strand's operation, and those that follow it in the same strand, in one task.
  ///
  /// While user code runs the task holds the environment and the operation, and not the store.
  func drive(_ id: StrandID, _ first: Node, serial: UInt64, _ tree: TreeContext?) {
    let body: @Sendable () async -> Void = { [weak self, env] in
      guard let isCancelled = self?.isCancelled(id) else { return tree?.orphanReturned() ?? () }
      var node: Node? = first
      if isCancelled {
        self?.operationEnded(id, serial: serial, .success(.none))
        return
      }
      while let current = node {
        let result: Result<Effect, any Error>
        do {
          result = .success(try await current.content.operate(env))
        } catch {
          result = .failure(error)
        }
        guard let store = self else { return tree?.orphanReturned() ?? () }
        node = store.operationEnded(id, serial: serial, result)
      }
    }
    let task = executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    register(id, serial: serial) { task.cancel() }
  }

  /// - Returns: the operation that the same task goes on with.
  @discardableResult
  private func operationEnded(_ id: StrandID, serial: UInt64, _ result: Result<Effect, any Error>) -> Node? {
    let mayCommit = isOnIsolation()
    var tree: TreeContext?
    let site = perform(driver: id, in: tree, mayCommit: mayCommit) { core in
      tree = core.machine.context(of: id)
      switch result {
      case .success(.set(let mutation)) where mayCommit && core.instrument == nil && !core.machine.isCancelled(id):
        // Committed in place: the follow-up that nearly every operation has needs no program of its own.
        apply(mutation.body, &core)
        core.machine.operationFinished(id, nil, &core.pass)
      case .success(let effect):
        core.machine.operationFinished(id, effect.program, &core.pass)
      case .failure(let error):
        core.machine.operationFailed(id, error, &core.pass)
      }
    }
    guard let site, case .node(let node) = unsafeDowncast(site.program.node, to: Node.self).effect(at: site.index)
    else {
      lock { $0.endRun(id, serial: serial) }
      return nil
    }
    return node
  }

  // MARK: Other stores' effects

  func forward(_ id: StrandID, serial: UInt64, _ tree: TreeContext?, _ begin: @Sendable () -> EffectHandle) {
    let handle = begin()
    let finish: @Sendable (EffectOutcome) -> Void = { [weak self] _ in
      guard let self else { return tree?.orphanReturned() ?? () }
      operationEnded(id, serial: serial, .success(.none))
    }
    switch handle.storage {
    case .settled(let outcome):
      finish(outcome)
    case .tree(let other):
      register(id, serial: serial) { handle.cancel() }
      other.whenSettled(finish)
    }
  }

  // MARK: Sources

  func iterateSequence(
    _ id: StrandID, serial: UInt64, _ iterate: @escaping @Sendable (@Sendable (Effect) -> Bool) async throws -> Void
  ) {
    let body: @Sendable () async -> Void = { [weak self] in
      guard self?.isCancelled(id) == false else {
        self?.sourceEnded(id, serial: serial, nil)
        return
      }
      do {
        try await iterate { [weak self] effect in self?.emit(effect, from: id) ?? false }
        self?.sourceEnded(id, serial: serial, nil)
      } catch {
        self?.sourceEnded(id, serial: serial, error)
      }
    }
    let task = executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    register(id, serial: serial) { task.cancel() }
  }

  func attachBinding(
    _ id: StrandID, serial: UInt64, _ attach: (AsyncStore<State, Env>, StrandID) -> (@Sendable () -> Void)?
  ) {
    guard let detach = attach(self, id) else { return sourceEnded(id, serial: serial, nil) }
    register(id, serial: serial) { [weak self] in
      detach()
      self?.sourceEnded(id, serial: serial, nil)
    }
  }

  /// A source's next effect.
  ///
  /// - Returns: whether the source is still alive.
  @discardableResult
  func emit(_ effect: Effect, from id: StrandID) -> Bool {
    var isAlive = false
    var tree: TreeContext?
    perform(in: tree) { core in
      isAlive = !core.machine.isCancelled(id)
      guard isAlive, let program = effect.program else { return }
      tree = core.machine.context(of: id)
      core.machine.emitted(id, program, &core.pass)
    }
    return isAlive
  }

  func sourceEnded(_ id: StrandID, serial: UInt64, _ error: (any Error)?) {
    perform { core in
      if let error {
        core.machine.sourceFailed(id, error, &core.pass)
      } else {
        core.machine.sourceEnded(id, &core.pass)
      }
      core.endRun(id, serial: serial)
    }
  }
}

extension AsyncStore.Node.Content {
  fileprivate func operate(_ env: Env) async throws -> AsyncStore.Effect {
    switch self {
    case .operation(let operation): try await operation()
    case .environmentOperation(let operation): try await operation(env)
    default: preconditionFailure("\(kind) is no operation")
    }
  }
}
