import Foundation
import Synchronization

/// The built program, in a process of its own.
final class Program: Sendable {
  private struct State {
    var output = ""
    var waiters: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
  }

  private let process: Mutex<Process>
  private let state = Mutex(State())

  init(_ arguments: String...) throws {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // On Apple's platforms the tests are in a bundle.
    while !FileManager.default.isExecutableFile(atPath: directory.appending(path: "orders").path) {
      guard directory.path != "/" else { throw CocoaError(.fileNoSuchFile) }
      directory.deleteLastPathComponent()
    }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = directory.appending(path: "orders")
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    self.process = Mutex(process)
    try self.process.withLock { try $0.run() }
    let handle = pipe.fileHandleForReading
    // A thread that reads, because a readability handler may miss the end behind the last output.
    Thread.detachNewThread { [self] in while read(from: handle) {} }
  }

  /// Waits for more output, or for its end.
  ///
  /// - Returns: false at the end.
  private func read(from handle: FileHandle) -> Bool {
    let data = handle.availableData
    let waiters = state.withLock { state in
      state.output += String(decoding: data, as: UTF8.self)
      if data.isEmpty { state.hasEnded = true }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
    return !data.isEmpty
  }

  /// The address that it says it listens on.
  var address: String {
    get async throws {
      while true {
        let (output, hasEnded) = state.withLock { ($0.output, $0.hasEnded) }
        if let address = output.firstMatch(of: /Listening on (\S+)\n/) { return String(address.1) }
        if hasEnded { throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: output]) }
        await change(after: output.count)
      }
    }
  }

  func terminate() { process.withLock { $0.terminate() } }

  /// Waits until it has ended.
  func end() async throws -> (status: Int32, output: String) {
    while !state.withLock(\.hasEnded) { await change(after: state.withLock(\.output.count)) }
    return process.withLock { process in
      process.waitUntilExit()
      return (process.terminationStatus, state.withLock(\.output))
    }
  }

  /// Waits until more has been written, or it has ended.
  private func change(after count: Int) async {
    await withCheckedContinuation { continuation in
      let isChanged = state.withLock { state in
        if state.output.count != count || state.hasEnded { return true }
        state.waiters.append(continuation)
        return false
      }
      if isChanged { continuation.resume() }
    }
  }
}
