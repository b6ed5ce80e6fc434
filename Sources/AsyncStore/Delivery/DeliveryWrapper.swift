/// Wraps the notification of observers, for example in an animation.
///
/// The wrapper calls `deliver`, which notifies one observer, exactly once before it returns.
package typealias DeliveryWrapper = @Sendable (_ deliver: () -> Void) -> Void
