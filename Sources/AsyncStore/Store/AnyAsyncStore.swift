/// A store without its types: its life, and what is in flight.
///
/// Use it to keep stores of different states together, to shut them down in order for one. It is not meant to be
/// subclassed.
///
/// `@unchecked` because the class is not final; its own part is a constant.
public class AnyAsyncStore: @unchecked Sendable {
  let base: Runtime

  init(_ runtime: Runtime) { base = runtime }

  deinit { base.storeIsGone() }
}
