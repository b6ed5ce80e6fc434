import Foundation

@testable import Ledger

/// A folder that goes when the test is over.
final class Folder {
  let url = URL.temporaryDirectory.appending(path: "Ledger-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path(percentEncoded: false) }
  var ledger: LedgerFile { LedgerFile(path: self["ledger.json"]) }

  /// The path of a file in it.
  subscript(name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// Writes a file, and answers with its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return self[name]
  }
}
