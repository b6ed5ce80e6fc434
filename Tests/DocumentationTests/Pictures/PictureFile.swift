import Foundation
import Testing

/// A picture of a guide, as a pair of files for light and dark pages.
struct PictureFile {
  private let folder: URL
  private let name: String

  /// - Parameter module: the module whose guides show the picture.
  init(_ name: String, of module: String) {
    self.name = name
    folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/\(module)/\(module).docc/Resources")
  }

  /// The file for light pages.
  func light() throws -> String { try String(contentsOf: url(.light), encoding: .utf8) }

  /// Expects that the files are what `draw` makes, and writes them before if that was asked for.
  func check(_ draw: (PictureColors) -> String) throws {
    for colors in PictureColors.allCases {
      let (url, text) = (url(colors), draw(colors))
      if ProcessInfo.processInfo.environment["ASYNCSTORE_REGENERATE_SNIPPETS"] == "1" {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
      }
      let current = try? String(contentsOf: url, encoding: .utf8)
      #expect(
        current == text,
        "\(url.lastPathComponent) is not what the run is. Make it anew: \(SnippetFile.command.replacing(".SnippetFileTests", with: ""))"
      )
    }
  }

  private func url(_ colors: PictureColors) -> URL {
    folder.appending(path: colors == .dark ? "\(name)~dark.svg" : "\(name).svg")
  }
}
