#if canImport(SwiftUI)
  import SwiftUI

  extension SwiftUI.Binding {
    /// Creates a binding that passes on each new value, with the binding's own animation if it has one.
    ///
    /// A binding without an animation differs from one with a `nil` animation: without one, the animation of the code
    /// that sets the value applies.
    @MainActor
    init(
      get: @escaping @MainActor @Sendable () -> Value, send: @escaping @MainActor @Sendable (Value) -> Void,
      animated: @escaping @MainActor @Sendable (Value, Animation) -> Void
    ) {
      self.init(
        get: get,
        set: { @MainActor value, transaction in
          if let animation = transaction.animation { animated(value, animation) } else { send(value) }
        })
    }
  }
#endif
