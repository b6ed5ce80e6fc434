/// How far a search has come.
struct Progress: Hashable, Sendable {
  /// What is being done.
  enum Phase: Sendable {
    case walking
    /// Reads the beginning of each file that is as long as another one.
    case comparingBeginnings
    /// Reads all of each file that also begins as another one does.
    case comparingContents
    case finished
  }

  /// So many files, so many bytes.
  struct Amount: Hashable, Sendable {
    var files = 0
    var bytes = 0
  }

  var phase = Phase.walking
  /// It was ended before it was finished.
  var isInterrupted = false

  /// What the walk has found.
  var folders = 0
  var found = Amount()

  /// What there is to read in this phase.
  var total = Amount()
  /// What has been read of it, or given up; files in full only.
  private(set) var settled = Amount()
  /// How far the files are that are being read now.
  private(set) var reading: [FileIdentity: Int] = [:]
  /// How many bytes were read in all phases.
  private(set) var bytesRead = 0
  /// How many files and folders could not be read.
  var problems = 0

  /// What has been done of ``total``.
  var done: Amount { Amount(files: settled.files, bytes: settled.bytes + reading.values.reduce(0, +)) }

  var isOver: Bool { phase == .finished || isInterrupted }

  // MARK: Changes

  /// Begins to read something.
  mutating func begin(_ phase: Phase, toRead total: Amount) {
    self.phase = phase
    self.total = total
    settled = Amount()
    reading = [:]
  }

  /// Begins to read a file, perhaps once more.
  mutating func begin(_ file: FileIdentity) { reading[file] = 0 }

  /// A part of a file has been read.
  mutating func advance(_ file: FileIdentity, by bytes: Int) {
    reading[file, default: 0] += bytes
    bytesRead += bytes
  }

  /// A file has been read to the end, or given up: there is nothing to do for it any more.
  mutating func settle(_ file: FileIdentity, of bytes: Int) {
    reading[file] = nil
    settled.files += 1
    settled.bytes += bytes
  }
}
