#if canImport(SwiftUI)
  import AsyncStore
  import SwiftUI

  extension AsyncStore where State: Model, Env == State.Environment {
    /// Changes the state with an action, with an animation for each change that the action and its effects make, now or
    /// later.
    ///
    /// The animation travels with the effect, as described at ``AsyncStore/AsyncStore/Effect/animation(_:)``;
    /// otherwise, the rules are those of `send(_:isolation:)`.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - animation: the animation of the views, or `nil` for none.
    ///   - isolation: the caller's isolation; leave it to the compiler.
    /// - Returns: a handle for waiting for the action's effects or cancelling them. It may be dropped.
    @discardableResult
    public func send(
      _ action: State.Action, animation: Animation?, isolation: isolated (any Actor)? = #isolation
    ) -> EffectHandle {
      receive(.send(action).animation(animation), isolation: isolation)
    }

    /// Returns a SwiftUI binding that reads a property of the state and sends an action with each new value.
    ///
    /// Use it for a control that needs one: `Toggle("On", isOn: store.binding(for: \.isOn, sending: { .switched($0)
    /// }))`. The animation of `….animation()` on the binding travels with the action's effects.
    ///
    /// The binding holds the store. For a store bound to the main actor, the action has changed the state when the
    /// control has set the value.
    @MainActor
    public func binding<Value: Sendable>(
      for keyPath: KeyPath<State, Value> & Sendable, sending action: @escaping @Sendable (Value) -> State.Action
    ) -> SwiftUI.Binding<Value> {
      SwiftUI.Binding(
        get: { self[dynamicMember: keyPath] },
        send: { self.send(action($0)) },
        animated: { self.send(action($0), animation: $1) })
    }
  }
#endif
