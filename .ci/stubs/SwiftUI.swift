// The few declarations of SwiftUI that the library uses, so that its Apple code can be type-checked elsewhere.
@propertyWrapper
public struct Binding<Value> {
  public var wrappedValue: Value
  @preconcurrency
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) { fatalError("a stub is type-checked and never run") }
}
