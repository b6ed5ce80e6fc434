/// What a runtime has done by code that knows the types of its store: all that calls the closures of effects.
///
/// The types conform, by ``AsyncStore``, and no object of theirs does: whatever varies is in the runtime.
protocol StoreTypes {
  /// Evaluates an effect that needs the state, under the lock, and commits its change.
  ///
  /// - Returns: the effect to go on with, and whether anything was committed.
  static func evaluate(
    _ node: EffectNode, on runtime: Runtime, _ core: inout Core
  ) -> (program: EffectProgram?, isCommit: Bool)
  /// Starts a source: a sequence's task, or a binding.
  static func open(_ run: Run)
  /// Runs a fiber's operation, and those that follow it in the same fiber.
  static func operate(_ run: Run) async
  /// Maps a timer's tick to an effect, and interprets that.
  static func interpret(_ tick: Tick, of id: FiberID, _ node: EffectNode, on runtime: Runtime)
  /// Returns whether the retry makes another attempt after this error.
  static func decide(_ error: any Error, by node: EffectNode) -> Bool
  /// Maps an error to the effect that takes the failed one's place.
  static func map(_ error: any Error, by node: EffectNode) -> EffectProgram?
  static func releaseState(of content: StoreContent)
  static func releaseEnv(of content: StoreContent)
}

/// The memory of a store's state and environment, which the runtime knows by address only.
///
/// It is memory of its own and not properties, so that no access to the state is tracked at run time, and so that
/// observers see the state in place and not a copy of it.
struct StoreContent {
  let state: UnsafeMutableRawPointer
  let env: UnsafeMutableRawPointer

  /// Moves both to one piece of memory.
  init<State, Env>(_ state: consuming State, _ env: consuming Env) {
    let alignment = max(MemoryLayout<State>.alignment, MemoryLayout<Env>.alignment)
    let offset = MemoryLayout<State>.size.roundedUp(to: MemoryLayout<Env>.alignment)
    self.state = Memory.allocate(bytes: offset + MemoryLayout<Env>.size, alignment: alignment)
    self.env = self.state + offset
    self.state.initializeMemory(as: State.self, to: state)
    self.env.initializeMemory(as: Env.self, to: env)
  }
}

extension Int {
  /// The next multiple of a power of two.
  fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
