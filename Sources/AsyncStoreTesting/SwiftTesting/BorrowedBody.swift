import CAsyncStoreTesting

/// A body that may be used for the time of a call only, given to simulations, which may have to abandon it.
///
/// A test's function is lent to a trait, and no copy of it may be left when the trait returns; Swift checks that, and
/// stops the process otherwise. But a body that waits for what never comes can't be made to return: it stays where it
/// is, for ever, and holds on to the function.
enum BorrowedBody {
  typealias Function = @Sendable () async throws -> Void

  /// Lends the function to `use`, as the body of simulations that are over when `use` returns.
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

  /// A function of its own, so that it has given up all of its copies when it returns.
  @inline(never)
  private static func pass<Result>(
    _ function: @escaping Function, to use: (@escaping @Sendable (Simulation) async throws -> Void) throws -> Result
  ) rethrows -> Result {
    try use { _ in try await function() }
  }

  /// A function as a member is what it is, and isn't wrapped to be passed on: a pointer to code and a reference to what
  /// it captures.
  private struct Held {
    let function: Function

    private var context: UnsafeMutableRawPointer? {
      unsafeBitCast(self, to: (UnsafeRawPointer, UnsafeMutableRawPointer?).self).1
    }

    var referenceCount: Int { context.map { Int(asyncStoreTesting_referenceCount($0)) } ?? 0 }

    /// Gives up the references that abandoned bodies hold: those that are more than before the simulations.
    ///
    /// The simulations are over: a body that has not ended is a task whose jobs nobody runs any more. What it holds it
    /// would never have released and never uses again, so it is sound to release that in its stead.
    func release(downTo count: Int) {
      guard let context else { return }
      for _ in 0..<max(referenceCount - count, 0) { Unmanaged<AnyObject>.fromOpaque(context).release() }
    }
  }
}
