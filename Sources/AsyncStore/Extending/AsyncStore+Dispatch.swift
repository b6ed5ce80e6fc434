extension AsyncStore {
  /// Commits, and goes on with an effect, both in one step, as ``Effect/update(_:file:line:)`` does.
  ///
  /// The way of `receive` without an effect to begin with: nothing is allocated unless the body answers with an effect.
  ///
  /// - Parameters:
  ///   - body: runs under the lock, once, if the store is active.
  ///   - effect: the same as an effect, for a store whose commits happen elsewhere.
  package func dispatch(
    isolation: isolated (any Actor)? = #isolation, _ body: (Attachment, inout State) -> Effect,
    otherwise effect: () -> Effect
  ) -> EffectHandle {
    if let own = runtime.isolation, own === isolation { return runtime.onIsolation { runtime.dispatch(body) } }
    return runtime.isOnIsolation() ? runtime.dispatch(body) : receive(effect(), isolation: isolation)
  }

  // MARK: Beside the state

  /// Reads and changes what a module on top keeps beside the state, under the same lock.
  package func withAttachment<Result>(_ body: (inout AnyObject?, State) -> Result) -> Result {
    runtime.lock { _ in body(&runtime.attachment, runtime.storage.pointee) }
  }

  /// What a module on top keeps beside the state; made when it is first asked for, and told of each commit from then on.
  package func attachment<Listener: CommitListener<State>>(make: (State) -> Listener) -> Listener {
    runtime.lock { core in
      if let known = runtime.attachment {
        guard let listener = known as? Listener else { preconditionFailure("two modules attach to one store") }
        return listener
      }
      let new = make(runtime.storage.pointee)
      runtime.attachment = new
      core.observers.append(CommitListening(new, isPermanent: true))
      return new
    }
  }
}

extension AsyncStore {
  /// What a module on top keeps beside the state, for the time of a commit.
  package struct Attachment {
    package let object: AnyObject?
  }
}

extension StateRuntime {
  fileprivate func dispatch(_ body: (AsyncStore<State, Env>.Attachment, inout State) -> Effect) -> EffectHandle {
    var tree: TreeContext?
    var isActive = true
    perform(in: tree, mayCommit: true) { core in
      isActive = core.isActive
      guard isActive else {
        if core.machine.isTraced { core.deliveries.append(.event(.ignored(EffectDescription(.update)))) }
        return
      }
      var effect = Effect.none
      apply({ effect = body(AsyncStore<State, Env>.Attachment(object: attachment), &$0) }, &core)
      if core.machine.isTraced { core.deliveries.append(.event(.committed(.dispatched))) }
      guard let program = effect.program else { return }
      let context = TreeContext(self, mayOperate: program.node.mayOperate)
      tree = context
      context.began(at: core.machine.begin(program, context: context, &core.pass))
    }
    guard isActive else { return .inactive }
    return tree.map { EffectHandle(storage: .tree($0)) } ?? .finished
  }
}

extension EffectRecord {
  fileprivate static let dispatched = EffectRecord(id: nil, label: nil, effect: EffectDescription(.update))
}

extension AsyncStore.Effect {
  /// A message to the store, together with what it does.
  ///
  /// - Parameters:
  ///   - message: what a store that this effect is embedded in is sent instead.
  ///   - body: runs as the closure of ``update(_:file:line:)`` does.
  package static func dispatch(
    _ message: any Sendable, _ file: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (AsyncStore.Attachment, inout State) -> Self
  ) -> Self {
    .node(.evaluate, .dispatch(message, body), file, line)
  }

  /// Changes the state and tells no observer; they notice with the next commit.
  package static func setSilently(
    _ mutation: @escaping @Sendable (inout State) -> Void, _ file: StaticString, _ line: UInt
  ) -> Self {
    .node(.evaluate, .silent(mutation), file, line)
  }
}

extension EffectHandle {
  /// The handle of what was sent to a store that is gone.
  package static var ofNothing: EffectHandle { .inactive }

  /// Calls `body` once, with how the effect ended: at once if it has, else on the thread that ends it, under no lock.
  package func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    switch storage {
    case .settled(let outcome): body(outcome)
    case .tree(let tree): tree.whenSettled(body)
    }
  }
}
