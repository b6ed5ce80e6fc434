/// A store without its types: its life, and what is in flight.
///
/// Use it to keep stores of different states together, for example to shut them down in order. It can't be subclassed
/// outside this module.
///
/// `@unchecked` because the class is not final; its own part is a constant.
public class AnyAsyncStore: @unchecked Sendable {
  @usableFromInline final let runtime: Runtime

  /// The store, as its events name it: by the name that it was given when it was made, and by a number.
  public var identity: StoreIdentity { runtime.identity }

  init(_ runtime: Runtime) { self.runtime = runtime }

  // Without a reference of its own to the runtime, which is the store's until it is gone.
  deinit { Unmanaged.passUnretained(runtime)._withUnsafeGuaranteedRef { $0.storeWasReleased() } }
}
