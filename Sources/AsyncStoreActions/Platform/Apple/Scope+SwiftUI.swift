#if canImport(SwiftUI)
  import AsyncStore
  import SwiftUI

  extension Scope {
    /// Sends an action of the part, with an animation for each change that the action and its effects make, now or
    /// later.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - animation: the animation of the views, or `nil` for none.
    ///   - isolation: the caller's isolation; leave it to the compiler.
    /// - Returns: a handle for waiting for the action's effects or cancelling them.
    @discardableResult
    public func send(
      _ action: Action, animation: Animation?, isolation: isolated (any Actor)? = #isolation
    ) -> EffectHandle {
      send(action, in: { deliver in withAnimation(animation, deliver) }, isolation: isolation)
    }

    /// Returns a SwiftUI binding that reads a property of the part and sends an action with each new value.
    ///
    /// The animation of `….animation()` on the binding travels with the action's effects. The binding does not hold the
    /// store. For a store bound to the main actor, the action has changed the state when the control has set the value.
    ///
    /// - Parameters:
    ///   - keyPath: the property.
    ///   - placeholder: the value of the binding while the part is missing or the store is gone; setting the binding
    ///     then does nothing.
    ///   - action: maps a new value to the action to send.
    @MainActor
    public func binding<Value: Sendable>(
      for keyPath: KeyPath<State, Value> & Sendable, default placeholder: Value,
      sending action: @escaping @Sendable (Value) -> Action
    ) -> SwiftUI.Binding<Value> {
      SwiftUI.Binding(
        get: { self[dynamicMember: keyPath] ?? placeholder },
        send: { self.send(action($0)) },
        animated: { self.send(action($0), animation: $1) })
    }
  }
#endif
