#if canImport(SwiftUI)
  import SwiftUI

  extension SwiftUI.Binding {
    /// A binding that hands on each new value, with the binding's own animation if it has one.
    ///
    /// Without one it is not the same as with none: the animation of who sets the value holds then.
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
