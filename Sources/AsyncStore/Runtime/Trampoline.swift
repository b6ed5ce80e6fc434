/// Runs what follows from each other one after the other on a thread, where calls would nest without end.
///
/// What comes while something else runs waits until that has returned; the outermost call returns when nothing is left.
final class Trampoline {
  /// Which of the thread's trampolines.
  struct Name: Sendable {
    private let current = ThreadVariable<Trampoline>()

    /// Runs `body`, now or in its turn.
    func run(_ body: @escaping () -> Void) {
      if let trampoline = current.value {
        trampoline.waiting.append(body)
        return
      }
      let trampoline = Trampoline()
      current.value = trampoline
      defer { current.value = nil }
      body()
      while let next = trampoline.waiting.popFirst() { next() }
    }
  }

  /// Effects of other stores' that begin or have settled.
  static let forwarding = Name()
  /// Cancels that lead from store to store.
  static let cancelling = Name()

  private var waiting = Ring<() -> Void>()
}
