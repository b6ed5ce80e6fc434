/// An operation, as an instrument runs it in ``StoreInstrument/wrapOperation(_:of:_:)``.
///
/// A type and not a closure, because `() async -> EffectOutcome` means another type in a module that has nonsending
/// functions by default: its method would not be the one that the protocol asks for.
public struct OperationBody {
  private let call: any OperationCall
  /// The operation and its store, for the instruments inside this one.
  private let place: (operation: EffectRecord, store: StoreIdentity)?
  /// The instruments inside this one, from the outside in.
  private let inner: ArraySlice<any StoreInstrument>

  init(_ call: any OperationCall) { (self.call, place, inner) = (call, nil, []) }

  /// Creates a body, to test an instrument.
  ///
  /// - Parameter body: returns how the operation ends.
  public init(_ body: @escaping () async -> EffectOutcome) { self.init(TestedCall(body)) }

  private init(
    _ call: any OperationCall, _ place: (operation: EffectRecord, store: StoreIdentity),
    inside inner: ArraySlice<any StoreInstrument>
  ) {
    (self.call, self.place, self.inner) = (call, place, inner)
  }

  /// Runs the operation.
  ///
  /// Call it once, in the task that called `wrapOperation`, before that method returns. A second call and a late one
  /// trap.
  ///
  /// - Returns: `finished`; `failed` with the error that the operation threw; or `cancelled`, if the effect was
  ///   cancelled before the operation returned.
  @discardableResult
  public nonisolated(nonsending) func callAsFunction() async -> EffectOutcome {
    guard let place, let next = inner.first else { return await call.perform() }
    await next.wrapOperation(place.operation, of: place.store, OperationBody(call, place, inside: inner.dropFirst()))
    return call.outcome
  }

  /// Returns the operation inside more instruments.
  func wrapped(
    in instruments: ArraySlice<any StoreInstrument>, _ operation: EffectRecord, of store: StoreIdentity
  ) -> OperationBody {
    OperationBody(call, (operation, store), inside: inner.isEmpty ? instruments : instruments + inner)
  }
}

@available(*, unavailable, message: "an operation runs in its own task")
extension OperationBody: Sendable {}

/// One call of an operation.
protocol OperationCall: AnyObject {
  /// The outcome of the operation, once it has ended.
  var outcome: EffectOutcome { get }

  nonisolated(nonsending) func perform() async -> EffectOutcome
}

private final class TestedCall: OperationCall {
  private let body: () async -> EffectOutcome
  private(set) var outcome = EffectOutcome.finished

  init(_ body: @escaping () async -> EffectOutcome) { self.body = body }

  nonisolated(nonsending) func perform() async -> EffectOutcome {
    outcome = await body()
    return outcome
  }
}
