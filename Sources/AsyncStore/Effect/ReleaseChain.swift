/// Frees chains of effects whose operations hold the next effect, in constant stack.
///
/// Such a chain can't be taken apart from outside, because a closure does not reveal what it holds. So while a thread
/// frees a node's closure, it keeps back the closures of the nodes that are freed with it, and frees them one after the
/// other when the first is done.
enum ReleaseChain {
  private struct State {
    var isReleasing = false
    /// The closures that are kept back.
    ///
    /// Empty, and without memory, whenever nothing is being released.
    var kept: [AnyObject] = []
  }

  private static let current = ThreadStorage { State() }

  /// Releases a closure now, or keeps it to be released later on.
  ///
  /// - Parameters:
  ///   - box: puts the closure into an object of its own.
  ///   - release: releases it if it was not kept, before it returns. It must not be inlined, or the optimiser may free
  ///     the closure later, when nothing is kept back any more.
  @inline(__always)
  static func release(box: () -> AnyObject, _ release: () -> Void) {
    let state = current.pointer
    if state.pointee.isReleasing {
      keep(box())
      release()
      return
    }
    state.pointee.isReleasing = true
    release()
    if !state.pointee.kept.isEmpty { releaseKept() }
    state.pointee.isReleasing = false
  }

  @inline(never)
  private static func keep(_ closure: AnyObject) { current.pointer.pointee.kept.append(closure) }

  @inline(never)
  private static func releaseKept() {
    let state = current.pointer
    while let last = state.pointee.kept.popLast() { _ = consume last }
    state.pointee.kept = []
  }
}
