import ArgumentParser

/// A command that answers with a text.
protocol Subcommand: ParsableCommand {
  /// Does what the command is for.
  ///
  /// - Returns: what is written to the standard output.
  func answer() throws -> String
}

extension Subcommand {
  func run() throws { try StandardStreams.write(answer()) }
}

/// Which ledger.
struct FileOptions: ParsableArguments {
  @Option(name: .customLong("file"), help: "The ledger.")
  var path = "ledger.json"

  var file: LedgerFile { LedgerFile(path: path) }
}
