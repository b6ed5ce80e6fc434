/// The parts of a call's work that may go on in a task if they become very long.
enum Handover: Sendable {
  /// Nothing: the caller waits for all of it.
  case nothing
  /// Only passes: the caller waits for what comes before them, such as an answer, and not for them.
  case passes
  /// Everything: nobody waits, and the thread has other work. It may be the emission of a source, whose next ones wait.
  case everything(Emission?)

  var isAllowed: Bool { if case .nothing = self { false } else { true } }

  var isEverything: Bool { if case .everything = self { true } else { false } }

  var emission: Emission? { if case .everything(let emission) = self { emission } else { nil } }
}
