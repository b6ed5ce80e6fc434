import ArgumentParser
import AsyncStorePersistence
import Foundation

/// The program `ledger`.
public struct LedgerCommand: ParsableCommand {
  /// The help of the command.
  public static let configuration = CommandConfiguration(
    commandName: "ledger",
    abstract: "Keeps a double-entry ledger in a file.",
    discussion: """
      Every change is one step: it is done as a whole or not at all, it is safe from crashes once the program has said \
      so, and undo takes it back. All that was ever done, undo and redo included, is in the ledger's log.

      A ledger is a file of text that grows by a line with every change, about 100 bytes a posting. Each line has a \
      checksum of all lines up to it, so that no change of a byte goes unnoticed: books that were damaged are refused, by \
      readers and writers alike. Only a file that has lost whole lines at its end looks like an older one; compare the \
      number of actions that audit tells with the one it told before. What a crash has cut off at the end is told, and \
      kept in a file beside the ledger, with the suffix .torn. The ledgers of older versions are read as they are, and \
      replaced by the first change; the old file stays as it was, with the suffix .previous.

      One process at a time changes a ledger; another one that tries is told so at once. Reading is always possible.

      It ends with 0 if all is done, with 1 if something was refused, with 2 if a file can't be used, with 3 if another \
      process is changing the ledger, with 4 if what was asked for is done and the standard output can't be written to \
      say so, and with 64 if the command line can't be understood.
      """,
    subcommands: [
      ImportCommand.self, PostCommand.self, FeedCommand.self, UndoCommand.self, RedoCommand.self, BalanceCommand.self,
      RegisterCommand.self, ReportCommand.self, PrintCommand.self, LogCommand.self, ReplayCommand.self,
      AuditCommand.self,
    ]
  )

  /// Creates a command without a subcommand, which shows the help.
  public init() {}

  /// Runs the program.
  public static func start() -> Never {
    StandardStreams.occupyClosed()
    do {
      try checkArguments()
      var command = try parseAsRoot()
      try command.run()
      exit()
    } catch {
      if let code = exitCode(ofFailure: error) {
        StandardStreams.writeError("ledger: \(error)\n")
        exit(withError: code)
      }
      // Help is no failure; anything else may quote what was typed.
      if exitCode(for: error).isSuccess { exit(withError: error) }
      StandardStreams.writeError(fullMessage(for: error) + "\n")
      exit(withError: exitCode(for: error))
    }
  }

  /// Refuses arguments that are not UTF-8, which `CommandLine` repairs.
  private static func checkArguments() throws(LedgerError) {
    for number in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[number], String(validatingCString: argument) == nil else { continue }
      throw LedgerError(.malformed, "Argument \(number) is not UTF-8.")
    }
  }

  /// Returns the exit code, or `nil` if the argument parser knows better.
  static func exitCode(ofFailure error: any Error) -> ExitCode? {
    switch error {
    case let error as PersistenceError where error.code == .inUse: ExitCode(3)
    case let error as LedgerError where error.code == .inaccessible: ExitCode(2)
    case let error as LedgerError where error.code == .untold: ExitCode(4)
    case is LedgerError, is ActionLogError: ExitCode(1)
    case is PersistenceError: ExitCode(2)
    default: nil
    }
  }
}
