import AsyncStore

typealias ProgramStore = AsyncStore<ProgramState, Void>

/// The state of a program's stores.
struct ProgramState: Sendable {
  var x = 0
  var y = 0
  /// The values that bindings copy, by the bindings' identifiers.
  var copies = [0, 0, 0]
  var list = [1, 2, 3]
  let witness: ProgramWitness

  /// Reports a missing element as a violation.
  ///
  /// Real code would trap.
  subscript(element index: Int) -> Int {
    guard list.indices.contains(index) else {
      witness.report("law 16: an element that a reader asked for once is read again where it is missing")
      return -1
    }
    return list[index]
  }

  subscript(cell: ProgramCell) -> Int {
    get { cell == .x ? x : y }
    set { if cell == .x { x = newValue } else { y = newValue } }
  }
}

/// A violation of a law in a run.
struct ProgramViolation: Error, CustomStringConvertible {
  /// The law's number and how it is broken.
  let law: String
  /// The store that breaks the law.
  let store: StoreName?

  var description: String { law + (store.map { ", in \($0)" } ?? "") }
}

/// Collects the violations that a run finds.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class ProgramWitness: @unchecked Sendable {
  private(set) var first: ProgramViolation?

  func report(_ law: String, in store: StoreName? = nil) {
    if first == nil { first = ProgramViolation(law: law, store: store) }
  }
}
