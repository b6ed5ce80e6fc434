/// A store without its types: its lifecycle and its effects in flight.
///
/// Use it to keep stores of different states together, for example to shut them down in order. It can't be subclassed
/// outside this module.
///
/// `@unchecked` because the class is not final; its own part is a constant.
public class AnyAsyncStore: @unchecked Sendable {
  @usableFromInline final let runtime: Runtime

  /// The identity of the store in its events: the name it was given at creation, and a number.
  public var identity: StoreIdentity { runtime.identity }

  init(_ runtime: Runtime) { self.runtime = runtime }

  // Without an additional reference to the runtime, which belongs to the store until the store is gone.
  deinit { Unmanaged.passUnretained(runtime)._withUnsafeGuaranteedRef { $0.storeWasReleased() } }
}
