import Foundation

/// The program that saves until it is killed, or a given number of times.
struct SavingProgram {
  let output: [String]
  let errors: String
  let isSuccess: Bool

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - rounds: how often it counts and saves.
  ///   - wrapper: a program, with its arguments, that runs it.
  init(saving file: URL, rounds: Int, wrapper: [String] = []) throws {
    let arguments =
      wrapper + [try Self.url().path(percentEncoded: false), file.path(percentEncoded: false), "\(rounds)"]
    let process = Process()
    process.executableURL = URL(filePath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    let (standardOutput, standardError) = (Pipe(), Pipe())
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    // The error output is smaller than a pipe's buffer, so it can wait while the standard output is read.
    output = String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    errors = String(decoding: standardError.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    isSuccess = process.terminationReason == .exit && process.terminationStatus == 0
  }

  static func url() throws -> URL {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // On Apple's platforms the tests are in a bundle.
    while directory.path != "/" {
      let file = directory.appending(path: "SavingProcess")
      if FileManager.default.isExecutableFile(atPath: file.path(percentEncoded: false)) { return file }
      directory.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
