import ArgumentParser
import Console

/// The program `dupes`.
public struct DupesCommand: AsyncParsableCommand {
  /// The help of the command.
  public static let configuration = CommandConfiguration(
    commandName: "dupes",
    abstract: "Finds files with the same contents.",
    discussion: """
      Only reads; what to do about the duplicates is left to you. Symbolic links are not followed, and the names of one \
      file, its hard links, are not duplicates of each other: it is listed under the first. Files that change while they are \
      looked at are not compared.

      The progress goes to the standard error, the result to the standard output: all of it, or nothing if the search is \
      interrupted with Ctrl-C. Ends with 0 if everything was looked at, 1 if something could not be read, 130 if it was \
      interrupted.
      """
  )

  @OptionGroup var options: Options

  /// Creates a command with the default options.
  public init() {}

  /// Searches until it is done or a signal arrives, and prints the result.
  ///
  /// - Throws: `ExitCode` if something could not be read.
  public func run() async throws {
    let signals = TerminationSignals()
    let session = Session(fileSystem: .system, display: .standardError(), executor: BlockingExecutor())
    let conclusion = await session.run(
      options.filePaths, options.searchOptions, interruptedBy: signals.stream)
    signals.stop()

    Terminal.standardOutput.write(try conclusion.output(json: options.json))
    Terminal.standardError.write(conclusion.messages(json: options.json))
    if conclusion.exitCode != 0 { throw ExitCode(conclusion.exitCode) }
  }
}
