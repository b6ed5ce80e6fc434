#if canImport(SwiftUI)
  import SwiftUI

  extension AsyncStore.Effect {
    /// Returns this effect with an animation for each change of the state that it makes, now or later.
    ///
    /// Use it for changes that come after a wait, when `withAnimation` around the call of the store would be long over:
    /// `.concatenate(.sleep(.seconds(1)), .set(\.isShown, to: true)).animation(.easeOut)`. The animation travels with
    /// the effect: observers are also notified inside `withAnimation` of commits by effects that operations, ticks,
    /// elements and error handlers return. It does not travel into another store, by a lift or a binding. If there are
    /// several animations, the innermost applies.
    ///
    /// Observation is notified inside the animation; Combine's `objectWillChange` only for a store that is bound to the
    /// main actor. SwiftUI animates changes that are reported on the main actor: bind the store to it.
    ///
    /// - Parameter animation: the animation of the views, or `nil` for none.
    /// - Complexity: linear in the number of the effect's nodes.
    public func animation(_ animation: Animation? = .default) -> Self {
      published { deliver in withAnimation(animation, deliver) }
    }

    /// Returns this effect with a SwiftUI transaction around each change of the state that it makes, now or later.
    ///
    /// Use it for settings that ``animation(_:)`` does not have, such as `disablesAnimations`; it travels in the same
    /// way.
    ///
    /// - Parameter configure: sets up the transaction of one change. It runs on the thread that notifies of the change,
    ///   not under the store's lock.
    /// - Complexity: linear in the number of the effect's nodes.
    public func transaction(_ configure: @escaping @Sendable (inout Transaction) -> Void) -> Self {
      published { deliver in
        var transaction = Transaction()
        configure(&transaction)
        withTransaction(transaction, deliver)
      }
    }
  }
#endif
