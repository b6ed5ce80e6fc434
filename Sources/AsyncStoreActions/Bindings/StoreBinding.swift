import AsyncStore

/// A value that is read from a store and written through it.
///
/// ```swift
/// let form = store.binding(\.query)
/// form.wrappedValue = "swift"
/// // store.query == "swift"
/// ```
///
/// If the store is bound to an actor, a write takes effect in a later turn on that actor, even if it is made there,
/// because a setter can't tell which actor calls it. An ``ActionFunction`` can.
///
/// Two bindings are equal if their values are, so that a type with bindings can be `Equatable`.
@propertyWrapper
public struct StoreBinding<Value: Sendable>: Sendable {
  private let get: @Sendable () -> Value
  private let set: @Sendable (Value) -> Void

  /// Creates a binding from two functions.
  public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    self.get = get
    self.set = set
  }

  /// The current value in the store.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// The binding itself.
  public var projectedValue: Self { self }
}

extension StoreBinding: Equatable where Value: Equatable {
  /// Returns whether both currently read equal values.
  public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

/// A function that sends an action.
///
/// ```swift
/// let tally = StoreOf<Tally>(state: Tally(), env: ())
/// let add = tally.function { (number: Int) in .add(number) }
/// add(3)
/// // tally.count == 3
/// ```
///
/// All functions of one type are equal, so that a type with such properties can be `Equatable`.
public struct ActionFunction<each Parameter>: Sendable, Equatable {
  private let body: @Sendable (isolated (any Actor)?, repeat each Parameter) -> Void

  init(_ body: @escaping @Sendable (isolated (any Actor)?, repeat each Parameter) -> Void) { self.body = body }

  /// Sends the action.
  ///
  /// The change happens where and when a change by `send(_:isolation:)` does.
  ///
  /// - Parameters:
  ///   - parameters: the values to make the action from.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  public func callAsFunction(
    _ parameters: repeat each Parameter, isolation: isolated (any Actor)? = #isolation
  ) {
    body(isolation, repeat each parameters)
  }

  /// Returns `true`; functions are not compared.
  public static func == (left: Self, right: Self) -> Bool { true }
}

extension AsyncStore {
  /// Returns a binding that reads and writes a property of the state.
  ///
  /// A write is a `set`. The binding holds the store. It may be used on any thread.
  public func binding<Value: Sendable>(_ keyPath: WritableKeyPath<State, Value> & Sendable) -> StoreBinding<Value> {
    StoreBinding {
      self[dynamicMember: keyPath]
    } set: {
      self.receive(.set(keyPath, to: $0), isolation: nil)
    }
  }
}

extension AsyncStore where State: Model, Env == State.Environment {
  /// Returns a binding that reads a property of the state and writes it with an action.
  ///
  /// The binding holds the store. It may be used on any thread.
  public func binding<Value: Sendable>(
    _ keyPath: KeyPath<State, Value> & Sendable, sending action: @escaping @Sendable (Value) -> State.Action
  ) -> StoreBinding<Value> {
    StoreBinding {
      self[dynamicMember: keyPath]
    } set: {
      self.send(action($0), isolation: nil)
    }
  }

  /// Returns a function of any number of parameters that sends an action.
  ///
  /// The function holds the store, and may be called on any thread.
  public func function<each Parameter>(
    _ action: @escaping @Sendable (repeat each Parameter) -> State.Action
  ) -> ActionFunction<repeat each Parameter> {
    ActionFunction { (isolation: isolated (any Actor)?, parameters: repeat each Parameter) in
      self.send(action(repeat each parameters), isolation: isolation)
    }
  }

  /// Returns a function that sends a given action.
  public func function(_ action: State.Action) -> ActionFunction<> { function { action } }
}
