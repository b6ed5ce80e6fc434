// The few declarations of SwiftUI that the library uses, so that its Apple code can be type-checked elsewhere.
@propertyWrapper
public struct Binding<Value> {
  public var wrappedValue: Value
  @preconcurrency
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) { fatalError("a stub is type-checked and never run") }
  @preconcurrency
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value, Transaction) -> Void
  ) { fatalError("a stub is type-checked and never run") }
}

public struct Animation: Equatable, Sendable {
  public static let `default` = Animation()
}

// Not Sendable, as in SwiftUI.
public struct Transaction {
  public var animation: Animation?
  public init() {}
}

@available(*, unavailable)
extension Transaction: Sendable {}

public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result { try body() }

public func withTransaction<Result>(
  _ transaction: Transaction, _ body: () throws -> Result
) rethrows -> Result { try body() }
