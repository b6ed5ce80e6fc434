import CAsyncStoreTesting

/// Where the choices of an exploration's schedules are written as they are made, so that they outlive the process.
///
/// It is a file that is mapped into memory; to write costs a few nanoseconds. A process that traps prints the schedule; one
/// that is killed leaves the file, and the next one that explores prints it.
final class Recording: Sendable {
  private let name: [CChar]
  private let testName: [CChar]

  init(name: String, testName: String) {
    self.name = Array(name.utf8CString)
    self.testName = Array(testName.utf8CString)
    Self.start
  }

  /// Begins a schedule of the simulation that this thread drives.
  ///
  /// Where one is being recorded, of a simulation around this one, nothing happens.
  func begin(seed: UInt64) { asyncStoreTesting_beginRecord(seed, name, testName) }

  static func add(_ choice: Schedule.Choice) {
    asyncStoreTesting_record(choice.kind == .wake, UInt32(choice.index), UInt32(choice.count))
  }

  func end() { asyncStoreTesting_endRecord() }

  /// Once for a process: opens the file, and tells what others have left.
  private static let start: Void = asyncStoreTesting_startRecording()
}
