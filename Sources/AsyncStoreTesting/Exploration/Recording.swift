import CAsyncStoreTesting

/// A record of a schedule's choices that outlives the process.
///
/// The record is a file mapped into memory, so that a write takes nanoseconds. A process that traps prints the
/// schedule. A process that is killed leaves the file, and the next process that explores prints it.
final class Recording: Sendable {
  private let name: [CChar]
  private let filter: [CChar]

  /// - Parameters:
  ///   - name: the name of the exploration.
  ///   - filter: the test's filter, quoted for a shell as in ``ExplorationSite/filter``.
  init(name: String, filter: String) {
    self.name = Array(name.utf8CString)
    self.filter = Array(filter.utf8CString)
    Self.start
  }

  /// Begins a schedule of the simulation that this thread drives.
  ///
  /// Does nothing while an enclosing simulation is being recorded.
  func begin(seed: UInt64) { asyncStoreTesting_beginRecord(seed, name, filter) }

  static func add(_ choice: Schedule.Choice) {
    asyncStoreTesting_record(
      choice.kind == .job ? 0 : CChar(bitPattern: choice.kind.rawValue.asciiValue ?? 0), UInt64(choice.index),
      UInt64(choice.count))
  }

  func end() { asyncStoreTesting_endRecord() }

  /// Opens the file, once per process, and prints the files that other processes have left.
  private static let start: Void = asyncStoreTesting_startRecording()
}
