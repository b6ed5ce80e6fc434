/// Wraps the notification of observers, for example in an animation.
///
/// It calls what it is given, which tells one observer, once and before it returns.
package typealias DeliveryWrapper = @Sendable (_ deliver: () -> Void) -> Void

extension AsyncStore.Effect {
  /// The same effect, with a wrapper around the telling of each commit of this store that it makes, now or later: also
  /// of those after a wait, of those of effects that operations, ticks, elements and error handlers answer with, and of
  /// messages.
  ///
  /// Observers are told after the store's lock, one after the other, and each inside a call of the wrapper. It does not
  /// go with a lifted effect into another store, nor with what a binding changes there in consequence. Of several
  /// wrappers the innermost holds.
  ///
  /// - Complexity: linear in the nodes of the effect. A store that has no such effect pays nothing.
  package func published(in wrapper: @escaping DeliveryWrapper) -> Self {
    EffectEmbedding<State, Env, State, Env>(publishingIn: wrapper)(self)
  }
}
