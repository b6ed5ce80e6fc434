import Foundation

/// The built program, run in a folder.
struct Program {
  struct Result {
    let output: String
    let complaint: String
    let code: Int32
  }

  /// The program while it runs.
  final class Run {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let complaint = Pipe()

    fileprivate init(_ program: Program, _ executable: URL, _ arguments: [String]) throws {
      process.executableURL = executable
      process.currentDirectoryURL = program.folder
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      process.standardError = complaint
      try process.run()
    }

    /// Lets the program read the end of its input, and takes down all that it still writes.
    func end() throws -> Result {
      try input.fileHandleForWriting.close()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let complaint = complaint.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Result(
        output: String(decoding: text, as: UTF8.self), complaint: String(decoding: complaint, as: UTF8.self),
        code: process.terminationStatus)
    }
  }

  let folder: URL
  private let executable: URL

  init(in folder: Folder) throws {
    self.folder = folder.url
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // On Apple's platforms the tests are in a bundle.
    while !FileManager.default.isExecutableFile(atPath: directory.appending(path: "ledger").path(percentEncoded: false))
    {
      guard directory.path != "/" else { throw CocoaError(.fileNoSuchFile) }
      directory.deleteLastPathComponent()
    }
    executable = directory.appending(path: "ledger")
  }

  func start(_ arguments: String...) throws -> Run { try Run(self, executable, arguments) }

  func callAsFunction(_ arguments: String...) throws -> Result { try run(arguments) }

  func run(_ arguments: [String]) throws -> Result { try Run(self, executable, arguments).end() }

  /// Runs a script in which `$0` is the program.
  func shell(_ script: String) throws -> Result {
    try Run(self, URL(filePath: "/bin/sh"), ["-c", script, executable.path(percentEncoded: false)]).end()
  }
}
