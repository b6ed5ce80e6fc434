#if canImport(SwiftUI)
  import SwiftUI

  extension AsyncStore {
    /// Returns a SwiftUI binding that reads a property of the state and sets it with an effect.
    ///
    /// Use it for a control that needs one: `TextField("Name", text: store.binding(for: \.name))`. The animation of
    /// `store.binding(for: \.isOn).animation()` applies to the effect.
    ///
    /// The binding holds the store. For a store bound to the main actor, a change is visible as soon as the control has
    /// made it.
    @MainActor
    public func binding<Value: Sendable>(
      for keyPath: WritableKeyPath<State, Value> & Sendable
    ) -> SwiftUI.Binding<Value> {
      SwiftUI.Binding(
        get: { self[dynamicMember: keyPath] },
        set: { @MainActor value, transaction in
          let effect = Effect.set(keyPath, to: value)
          self.receive(transaction.animation.map { effect.animation($0) } ?? effect)
        })
    }
  }
#endif
