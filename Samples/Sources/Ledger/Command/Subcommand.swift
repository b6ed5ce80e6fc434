import ArgumentParser
import Foundation

/// A command that answers with a text.
protocol Subcommand: ParsableCommand {
  /// Carries out the command.
  ///
  /// - Returns: the text for the standard output.
  func answer() throws -> String
}

extension Subcommand {
  func run() throws { try StandardStreams.write(answer()) }
}

/// A command that changes the books, and answers with a line that says how.
protocol ChangingSubcommand: Subcommand {}

extension ChangingSubcommand {
  func run() throws {
    let answer = try answer()
    try StandardStreams.write(answer, onDoing: String(answer.dropLast()))
  }
}

/// The ledger to use.
struct FileOptions: ParsableArguments {
  @Option(name: .customLong("file"), help: "The ledger; by default ledger.books, or ledger.json if only that is there.")
  var path: String?

  var file: LedgerFile { LedgerFile(path: path ?? Self.defaultPath) }

  /// The default path; older versions of the program had another one.
  private static var defaultPath: String {
    let (path, older) = ("ledger.books", "ledger.json")
    let files = FileManager.default
    return !files.fileExists(atPath: path) && files.fileExists(atPath: older) ? older : path
  }
}
