/// The parts of a call's work that may continue in a task if they become very long.
enum Handover: Sendable {
  /// None: the caller waits for everything.
  case nothing
  /// Passes, and nothing else: the caller waits for the work before them, such as an answer, but not for the passes.
  case passes
  /// Everything: nobody waits, and the thread has other work. If this is the emission of a source, the source's next
  /// emissions wait.
  case everything(Emission?)

  var isAllowed: Bool { if case .nothing = self { false } else { true } }

  var isEverything: Bool { if case .everything = self { true } else { false } }

  var emission: Emission? { if case .everything(let emission) = self { emission } else { nil } }
}
