/// The identity of a store in its events.
public struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
  /// The name that the store was given at creation, if any.
  public let name: String?
  /// A number that distinguishes the store from all others in the process.
  public let number: UInt64

  /// The name or, without one, the number.
  public var description: String { name ?? "store \(number)" }
}
