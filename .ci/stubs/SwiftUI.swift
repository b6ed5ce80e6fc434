// The few declarations of SwiftUI that the library and the guides use, so that their Apple code can be type-checked
// elsewhere.
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

// MARK: Views, for the guides

@MainActor
@preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

@resultBuilder
public struct ViewBuilder {
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> TupleView<Content?> { TupleView() }
}

public struct TupleView<Content>: View {
  nonisolated init() {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

@propertyWrapper
public struct State<Value> {
  public init(initialValue value: Value) { fatalError("a stub is type-checked and never run") }
  public init(wrappedValue value: Value) { fatalError("a stub is type-checked and never run") }
  public var wrappedValue: Value {
    get { fatalError("a stub is type-checked and never run") }
    nonmutating set {}
  }
}

public struct Text: View {
  public init(_ content: some StringProtocol) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct ProgressView: View {
  public init() {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct VStack<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct TextField: View {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct Toggle: View {
  public init(_ title: some StringProtocol, isOn: Binding<Bool>) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

public struct Button: View {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
  public var body: Never { return fatalError("a stub is type-checked and never run") }
}

extension View {
  public nonisolated func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> some View { TupleView<Self>() }

  public nonisolated func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
    TupleView<Self>()
  }
}

@MainActor
@preconcurrency
public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
