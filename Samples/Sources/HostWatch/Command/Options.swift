import ArgumentParser

/// The options of the command line.
struct Options: ParsableArguments {
  @Option(parsing: .unconditional, help: "End after this many seconds; by default, run until Ctrl-C.")
  var seconds: Double?

  @Option(parsing: .unconditional, help: "The interval between readings, in seconds.")
  var interval: Double = 1

  @Flag(help: "Print one JSON object a line instead of the display.")
  var json = false

  func validate() throws {
    guard (0.01...86_400).contains(interval) else {
      throw ValidationError("The value of '--interval' must be from 0.01 to 86400 seconds, and is \(interval).")
    }
    guard let seconds else { return }
    // The upper bound is about 30 years; far beyond it a duration overflows.
    guard (0...1e9).contains(seconds) else {
      throw ValidationError("The value of '--seconds' must be from 0 to 1000000000, and is \(seconds).")
    }
  }
}
