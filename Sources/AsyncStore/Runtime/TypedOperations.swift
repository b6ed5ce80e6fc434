/// The operations of a runtime that need the types of its store, above all those that call the closures of effects.
///
/// All are static, because nothing in flight may hold the store; what they need is in the runtime. `AsyncStore`
/// conforms.
protocol TypedOperations {
  /// Evaluates an effect that needs the state, under the lock, and commits its change.
  ///
  /// - Returns: the effect to go on with, and whether anything was committed.
  static func evaluate(
    _ node: EffectNode, on runtime: Runtime, _ core: inout Core
  ) -> (program: EffectProgram?, isCommit: Bool)
  /// Starts a source: a sequence's task, or a binding.
  ///
  /// - Parameter context: the tree whose task-local values are bound on this thread.
  static func open(_ run: Run, in context: TreeContext?)
  /// Has a task run a fiber's operation, and mostly those that follow it in the same fiber.
  static func drive(_ run: Run)
  /// Maps a timer's tick to an effect, and interprets that.
  static func interpret(_ tick: Tick, of id: FiberID, _ node: EffectNode, on runtime: Runtime)
  /// Returns whether the retry makes another attempt after this error.
  static func decide(_ error: any Error, by node: EffectNode) -> Bool
  /// Maps an error to the effect that takes the failed one's place.
  static func map(_ error: any Error, by node: EffectNode) -> EffectProgram?
  /// Releases the state, whose memory stays.
  static func releaseState(of content: StoreContent)
  /// Releases the environment, whose memory stays too.
  static func releaseEnv(of content: StoreContent)
}
