/// Wraps the notification of observers, for example in an animation.
///
/// It calls `deliver`, which tells one observer, once and before it returns.
package typealias DeliveryWrapper = @Sendable (_ deliver: () -> Void) -> Void
