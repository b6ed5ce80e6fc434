import ArgumentParser
import AsyncStoreActions
import Foundation

/// `ledger log`.
struct LogCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Prints the log of all actions, as JSON lines.")

  @OptionGroup var options: FileOptions

  func answer() throws -> String { StandardStreams.json(try options.file.books().log.jsonLines()) }
}

/// The log to use.
struct LogOptions: ParsableArguments {
  @Option(name: .customLong("log"), help: "Take this log, as 'ledger log' printed it, instead of the ledger's own.")
  var path: String?

  func log(of books: Books) throws -> ActionLog<Journal> {
    guard let path else { return books.log }
    return try ActionLog(jsonLines: Data(InputText.read(path).utf8), checkpointEvery: .max)
  }
}

/// `ledger replay`.
struct ReplayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Makes all actions of the log once more, and shows what each did.")

  @OptionGroup var options: FileOptions
  @OptionGroup var logOptions: LogOptions

  @Option(parsing: .unconditional, help: "Instead of the actions, show the balances after this many of them.")
  var to: Int?

  @OptionGroup var form: AnswerOptions

  func answer() throws -> String {
    let log = try logOptions.log(of: options.file.books())
    guard let to else {
      return try form.text(of: History(log))
    }
    guard let journal = log.state(at: to) else {
      throw LedgerError(.unknown, "The log has \(log.count) actions; there is no state after \(to).")
    }
    return try form.text(of: Balances(journal))
  }
}

/// `ledger audit`.
struct AuditCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Checks that the log's actions lead to every state they led to, and to the present one.")

  private struct Result: Report {
    let actions: Int
    let postings: Int
    let seal: String

    var text: String {
      "\(actions) actions lead to every state they led to, and to the present one: \(postings) postings, seal \(seal).\n"
    }
  }

  @OptionGroup var options: FileOptions
  @OptionGroup var logOptions: LogOptions

  @OptionGroup var form: AnswerOptions

  func answer() throws -> String {
    let books = try options.file.books()
    let log = try logOptions.log(of: books)
    try books.audit(log)
    return try form.text(
      of: Result(actions: log.count, postings: books.journal.postingCount, seal: "\(books.journal.seal)"))
  }
}
