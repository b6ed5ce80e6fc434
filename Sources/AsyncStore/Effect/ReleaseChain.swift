/// Frees chains of effects whose operations hold the next effect, in constant stack.
///
/// Such a chain can't be taken apart from outside: nobody sees what a closure holds. So while a node's closure is freed on a thread,
/// the closures of the nodes that go with it are kept back, and freed one after the other when that has returned.
enum ReleaseChain {
  private struct State {
    var isReleasing = false
    /// The closures that are kept back.
    ///
    /// Empty, and without memory, whenever nothing is being released.
    var kept: [AnyObject] = []
  }

  private final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private static let current = ThreadStorage { State() }

  /// Puts `replacement` into the place of `value`, and frees what was there now or later.
  @inline(__always)
  static func release<Value>(_ value: inout Value, replacement: Value) {
    let state = current.pointer
    if state.pointee.isReleasing {
      state.pointee.kept.append(Box(value))
      replace(&value, by: replacement)
      return
    }
    state.pointee.isReleasing = true
    replace(&value, by: replacement)
    if !state.pointee.kept.isEmpty { releaseKept() }
    state.pointee.isReleasing = false
  }

  /// Frees what was there before it returns.
  ///
  /// A call of its own, or the optimiser may do that when nothing is kept back any more.
  @inline(never)
  private static func replace<Value>(_ value: inout Value, by replacement: Value) { value = replacement }

  @inline(never)
  private static func releaseKept() {
    let state = current.pointer
    while let last = state.pointee.kept.popLast() { _ = consume last }
    state.pointee.kept = []
  }
}
