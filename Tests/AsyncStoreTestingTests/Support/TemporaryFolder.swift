import Foundation

/// A new folder for one test's files, removed with this object.
///
/// A process that explores prints and removes the records of schedules that it finds, also those of other tests. So the
/// processes of a test that records have a temporary folder of their own.
final class TemporaryFolder: Sendable {
  let path: String
  var url: URL { URL(fileURLWithPath: path) }
  /// The names of the files in it, sorted.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("AsyncStore-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a folder this process's own for temporary files.
  static func use(_ path: String) { setenv("TMPDIR", path, 1) }
}
