extension AsyncStore.Effect {
  /// Returns this effect with a wrapper around the notification of each commit that it makes in this store.
  ///
  /// This includes later commits: those after a wait, those of effects that operations, ticks, elements and error
  /// handlers return, and those of messages.
  ///
  /// Observers are notified after the store's lock, one after the other, each inside a call of the wrapper. The wrapper
  /// does not follow a lifted effect into another store, nor a binding's changes there. If there are several wrappers,
  /// the innermost one applies.
  ///
  /// - Complexity: linear in the number of the effect's nodes. A store without such an effect pays nothing.
  package func published(in wrapper: @escaping DeliveryWrapper) -> Self {
    EffectEmbedding<State, Env, State, Env>(publishingIn: wrapper)(self)
  }
}
