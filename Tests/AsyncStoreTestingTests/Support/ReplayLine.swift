import Foundation
import Testing

/// The text that an exit test's process has written to its standard error.
func errorText(of result: ExitTest.Result?) -> String {
  result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
}

/// The command of the first line that tells how to replay a schedule.
func replayCommand(in text: some StringProtocol) throws -> String {
  let prefix = "Replay it: "
  let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(prefix) })
  return String(line.dropFirst(prefix.count))
}

/// Has a shell read a command that replays a schedule.
///
/// - Returns: the schedule's environment variable, and the arguments of `swift`.
func shellArguments(of command: String) async throws -> [String] {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "swift() { printf '%s\\n' \"$ASYNCSTORE_SCHEDULE\" \"$@\"; }\n\(command)"]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    .dropLast().map(String.init)
}
