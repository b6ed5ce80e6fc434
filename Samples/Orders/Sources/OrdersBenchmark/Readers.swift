import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Opens many readers of a running program's events, of which some never read, while orders come in.
///
/// Run `orders --instant --no-file` first; the memory is that of the process.
struct Readers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads the events of a running program with many clients, some of which never read.")

  @Option(help: "The process of the program.")
  var process: Int
  @Option(help: "Its port.")
  var port = 8080
  @Option(help: "The readers.")
  var readers = 1_000
  @Option(help: "Those of them that never read.")
  var stuck = 100
  @Option(help: "The length of the measurement in seconds.")
  var seconds = 60

  func run() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let received = ReceivedBytes()
    print("before: \(residentMegabytes(of: process)) MB")
    var channels: [any Channel] = []
    for number in 0..<readers {
      let channel = try await ClientBootstrap(group: group)
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
    for part in 1...10 {
      try await Task.sleep(for: .seconds(Double(seconds) / 10))
      print(
        "after \(seconds * part / 10) s: \(residentMegabytes(of: process)) MB, "
          + "\(received.megabytes) MB read by \(readers - stuck)"
      )
    }
    for channel in channels { try? await channel.close() }
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
func residentMegabytes(of process: Int? = nil) -> Int {
  let path = "/proc/\(process.map(String.init) ?? "self")/status"
  guard let status = try? String(contentsOfFile: path, encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") }),
    let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
  else { return 0 }
  return kilobytes >> 10
}
