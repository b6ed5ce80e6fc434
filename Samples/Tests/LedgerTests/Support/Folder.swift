import Foundation

@testable import Ledger

/// A folder that goes when the test is over.
final class Folder {
  let url = URL.temporaryDirectory.appending(path: "Ledger-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path(percentEncoded: false) }
  var ledger: LedgerFile { LedgerFile(path: self["ledger.books"]) }

  /// Changes the books of the folder, some changes in a row.
  func change(seed: UInt64, changes: Int = 20) throws {
    var generator = SplitMix64(seed: seed)
    try ledger.change { open in
      for _ in 0..<changes { try? open.perform(.random(using: &generator)) }
    }
  }

  /// The path of a file in it.
  subscript(name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// The names of all that is in it.
  var names: Set<String> { get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) } }

  func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

  func write(_ data: Data, to name: String) throws { try data.write(to: url.appending(path: name)) }

  /// Writes a file, and answers with its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return self[name]
  }
}

/// Files that the tests compare with.
enum Fixture {
  static let folder = URL(filePath: #filePath).appending(path: "../../Fixtures").standardized

  static func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

  static func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }
}
