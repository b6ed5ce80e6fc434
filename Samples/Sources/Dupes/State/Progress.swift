/// The progress of a search.
struct Progress: Hashable, Sendable {
  /// The current phase of the search.
  enum Phase: Sendable {
    case walking
    /// Reads the beginning of each file that is as long as another one.
    case comparingBeginnings
    /// Reads all of each file that also begins as another one does.
    case comparingContents
    case finished
  }

  /// A number of files and of bytes.
  struct Amount: Hashable, Sendable {
    var files = 0
    var bytes = 0
  }

  var phase = Phase.walking
  /// True if the search was ended before it was finished.
  var isInterrupted = false

  /// The number of folders that the walk has found.
  var folders = 0
  var found = Amount()

  /// The amount to read in this phase.
  var total = Amount()
  /// The part of it that has been read, or given up; only whole files.
  private(set) var settled = Amount()
  /// The number of bytes read of each file that is being read now.
  private(set) var reading: [FileIdentity: Int] = [:]
  /// The number of bytes read in all phases.
  private(set) var bytesRead = 0
  /// The number of files and folders that could not be read.
  var problems = 0

  /// The part of ``total`` that has been done.
  var done: Amount { Amount(files: settled.files, bytes: settled.bytes + reading.values.reduce(0, +)) }

  var isOver: Bool { phase == .finished || isInterrupted }

  // MARK: Changes

  /// Begins to read the files of a phase.
  mutating func begin(_ phase: Phase, toRead total: Amount) {
    self.phase = phase
    self.total = total
    settled = Amount()
    reading = [:]
  }

  /// Begins to read a file, perhaps once more.
  mutating func begin(_ file: FileIdentity) { reading[file] = 0 }

  /// Notes that a part of a file has been read.
  mutating func advance(_ file: FileIdentity, by bytes: Int) {
    reading[file, default: 0] += bytes
    bytesRead += bytes
  }

  /// Notes that a file has been read to the end, or given up: there is nothing left to do for it.
  mutating func settle(_ file: FileIdentity, of bytes: Int) {
    reading[file] = nil
    settled.files += 1
    settled.bytes += bytes
  }
}
