import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Opens many readers of the service's events, of which some never read, while orders come in.
struct Readers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads the service's events with many clients, some of which never read; needs wrk.")

  @Option(help: "The readers.")
  var readers = 1_000
  @Option(help: "Those of them that never read.")
  var stuck = 100
  @Option(help: "The length of the measurement in seconds, in ten parts.")
  var duration = 60

  func run() async throws {
    let service = try ServiceProcess()
    defer { service.end() }
    let port = try service.port()
    let before = try residentMegabytes(of: service.number)
    let received = ReceivedBytes()
    let channels = try await connect(to: port, received)
    let script = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString).lua")
    defer { try? FileManager.default.removeItem(at: script) }
    let body = #"{"item": "lamp", "quantity": 1}"#
    try Data("wrk.method = \"POST\"\nwrk.body = [[\(body)]]\n".utf8).write(to: script)

    var (memory, orders): ([Int], Double) = ([], 0)
    for _ in 1...10 {
      let load = try await Load.measure(
        port: port, path: "/orders", seconds: max(1, duration / 10), connections: 32, script: script.path)
      orders += load.requestsPerSecond * Double(max(1, duration / 10))
      memory.append(try residentMegabytes(of: service.number))
    }
    for channel in channels { try? await channel.close() }
    print("\(readers) readers of the events, of which \(stuck) never read, and \(Int(orders)) orders")
    print(
      "  before \(before) MB; then \(memory.map(String.init).joined(separator: ", ")) MB; "
        + "\(received.megabytes) MB read; "
        + Bars.all.note(
          "no more in the second half than in the first",
          isMet: received.megabytes > 0 && (memory[5...].max() ?? 0) <= (memory[..<5].max() ?? 0) + 2))
  }

  private func connect(to port: Int, _ received: ReceivedBytes) async throws -> [any Channel] {
    var channels: [any Channel] = []
    for number in 0..<readers {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Counting(received)) }
        }
        .channelOption(.autoRead, value: number >= stuck)
        // Little room in the kernel for one that does not read, so that the server has to wait for it.
        .channelOption(.socketOption(.so_rcvbuf), value: number >= stuck ? 262_144 : 4_096)
        .connect(host: "127.0.0.1", port: port).get()
      try await channel.writeAndFlush(
        ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"))
      channels.append(channel)
    }
    return channels
  }
}

/// The sample's program, in a process of its own, with partners that answer at once.
private struct ServiceProcess {
  private let process = Process()
  private let output = Pipe()

  init() throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["orders", "--instant", "--no-file", "--port", "0"]
    process.standardOutput = output
    try process.run()
  }

  var number: Int { Int(process.processIdentifier) }

  /// The port that it says it listens on.
  func port() throws -> Int {
    var text = ""
    while true {
      let data = output.fileHandleForReading.availableData
      text += String(decoding: data, as: UTF8.self)
      if let port = text.firstMatch(of: /Listening on http:\/\/[\d.]+:(\d+)\n/).flatMap({ Int($0.1) }) { return port }
      guard !data.isEmpty else {
        throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: text])
      }
    }
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}

private final class ReceivedBytes: Sendable {
  private let count = Atomic<Int>(0)

  var megabytes: Int { count.load(ordering: .relaxed) >> 20 }

  func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }
}

private final class Counting: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let received: ReceivedBytes

  init(_ received: ReceivedBytes) { self.received = received }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.add(unwrapInboundIn(data).readableBytes) }
}

/// Returns the memory that a process has, by default this one.
func residentMegabytes(of process: Int? = nil) throws -> Int {
  let path = "/proc/\(process.map(String.init) ?? "self")/status"
  guard let status = try? String(contentsOfFile: path, encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") }),
    let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
  else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path]) }
  return kilobytes >> 10
}
