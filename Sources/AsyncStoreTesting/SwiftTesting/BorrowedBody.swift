import CAsyncStoreTesting

/// A body that may be used only during a call, but is passed to simulations, which may have to abandon it.
///
/// A test's function is lent to a trait, and no copy of it may be left when the trait returns; Swift checks that, and
/// otherwise stops the process. But a body whose wait never ends can't be made to return: it stays where it is forever,
/// and holds the function.
enum BorrowedBody {
  typealias Function = @Sendable () async throws -> Void

  /// Lends the function to `use`, as the body of simulations that have ended when `use` returns.
  static func lend<Result>(
    _ function: Function, to use: (@escaping @Sendable (Simulation) async throws -> Void) throws -> Result
  ) rethrows -> Result {
    try withoutActuallyEscaping(function) { function in
      let held = Held(function: function)
      defer { withExtendedLifetime(held) {} }
      let count = held.referenceCount
      defer { held.release(downTo: count) }
      return try pass(function, to: use)
    }
  }

  /// Passes the function to `use` in a separate call, so that all copies of the function are gone when the call
  /// returns.
  @inline(never)
  private static func pass<Result>(
    _ function: @escaping Function, to use: (@escaping @Sendable (Simulation) async throws -> Void) throws -> Result
  ) rethrows -> Result {
    try use { _ in try await function() }
  }

  /// A function as a member, which is passed on without another wrapper: a pointer to code and a reference to its
  /// captures.
  private struct Held {
    let function: Function

    private var context: UnsafeMutableRawPointer? {
      unsafeBitCast(self, to: (UnsafeRawPointer, UnsafeMutableRawPointer?).self).1
    }

    var referenceCount: Int { context.map { Int(asyncStoreTesting_referenceCount($0)) } ?? 0 }

    /// Releases the references held by abandoned bodies, which are those beyond the count before the simulations.
    ///
    /// The simulations are over: a body that has not ended is a task whose jobs nobody runs any more. It would never
    /// release its captures and never uses them again, so releasing them on its behalf is sound.
    func release(downTo count: Int) {
      guard let context else { return }
      for _ in 0..<max(referenceCount - count, 0) { Unmanaged<AnyObject>.fromOpaque(context).release() }
    }
  }
}
