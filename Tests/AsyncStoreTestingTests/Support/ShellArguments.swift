import Foundation

/// Has a shell read a line that replays a schedule.
///
/// - Returns: the schedule's environment variable, and the arguments of `swift`.
func shellArguments(of line: some StringProtocol) async throws -> [String] {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "swift() { printf '%s\\n' \"$ASYNCSTORE_SCHEDULE\" \"$@\"; }\n\(line)"]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    .dropLast().map(String.init)
}
