import ArgumentParser
import AsyncStore
import Console

/// The program `hostwatch`.
public struct HostWatchCommand: AsyncParsableCommand {
  /// The help of the command.
  public static let configuration = CommandConfiguration(
    commandName: "hostwatch",
    abstract: "Watches the processor, memory, load, disks and network of this machine.",
    discussion: """
      On a terminal the display is drawn in place; elsewhere each interval gives a line. Ctrl-C ends the program and \
      prints to the standard error what was still in flight.
      """
  )

  @OptionGroup var options: Options

  /// Creates a command with the default options.
  public init() {}

  /// Watches until the time is over or a signal arrives, and ends the stores in order.
  ///
  /// - Throws: `ExitCode.failure` if an operation does not return within 2 seconds after it was cancelled.
  public func run() async throws {
    let signals = TerminationSignals()
    let display = Display.standardOutput(json: options.json)
    let monitor = Monitor(host: .system, display: display)

    await display.open()
    monitor.start(every: .seconds(options.interval))
    await monitor.dashboard.run(.end(after: options.seconds, orAt: signals.stream))

    let inFlight = monitor.inFlight
    let failures = await monitor.shutdown(deadline: .seconds(2))
    await display.close()
    signals.stop()

    Terminal.standardError.write(Self.report(inFlight))
    for failure in failures { Terminal.standardError.write("\(failure)\n") }
    if !failures.isEmpty { throw ExitCode.failure }
  }

  /// Returns what the stores had in flight, a line for each, by the identifiers that the program gives to everything
  /// that takes time.
  static func report(_ inFlight: [(store: String, effects: InFlight)]) -> String {
    let lines = inFlight.map { store, effects in
      "  \(store): " + effects.compactMap { $0.identifier?.description }.joined(separator: ", ")
    }
    return (["In flight at the end:"] + lines).joined(separator: "\n") + "\n"
  }
}

extension DashboardStore.Effect {
  /// Ends after a number of seconds, if given, or as soon as a signal arrives.
  static func end(after seconds: Double?, orAt signals: AsyncStream<Int32>) -> Self {
    let signal = Self.task {
      for await _ in signals { break }
      return .none
    }
    return .race(effects: [signal] + (seconds.map { [.sleep($0)] } ?? []))
  }
}
