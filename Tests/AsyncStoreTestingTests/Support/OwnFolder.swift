import Foundation

/// Makes a temporary folder, for the records of processes of one test.
///
/// A process that explores prints and removes the records that it finds, also those of other tests.
func makeFolder() throws -> String {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("AsyncStore-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.path
}

func removeFolder(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

/// Makes a folder the temporary one of this process.
func useFolder(_ path: String) { setenv("TMPDIR", path, 1) }
