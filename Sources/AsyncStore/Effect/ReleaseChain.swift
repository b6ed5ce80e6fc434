/// Frees chains of effects whose operations hold the next effect, in constant stack.
///
/// Such a chain can't be taken apart from outside: nobody sees what a closure holds. So while a node's closure is freed on a thread,
/// the closures of the nodes that go with it are kept back, and freed one after the other when that has returned.
enum ReleaseChain {
  /// The closures that are kept back on a thread.
  private final class Kept {
    var closures: ContiguousArray<AnyObject> = []
  }

  private final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private static let current = ThreadVariable<Kept>()
  /// Stands for a list as long as nothing is kept back, so that mostly none has to be made.
  private nonisolated(unsafe) static let empty = Kept()

  /// Puts `replacement` into the place of `value`, and frees what was there now or later.
  ///
  /// `empty` above is compared by its address and never written to.
  @inline(__always)
  static func release<Value>(_ value: inout Value, replacement: Value) {
    if let kept = current.value { return keep(&value, replacement, kept) }
    current.value = empty
    value = replacement
    if current.value !== empty { releaseKept() }
    current.value = nil
  }

  @inline(never)
  private static func keep<Value>(_ value: inout Value, _ replacement: Value, _ kept: Kept) {
    var list = kept
    if kept === empty {
      list = Kept()
      current.value = list
      // Until `releaseKept`.
      _ = Unmanaged.passRetained(list)
    }
    list.closures.append(Box(value))
    value = replacement
  }

  @inline(never)
  private static func releaseKept() {
    guard let kept = current.value else { return }
    while let last = kept.closures.popLast() { _ = last }
    Unmanaged.passUnretained(kept).release()
  }
}
