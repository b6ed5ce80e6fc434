import NIOCore
import NIOPosix

/// A client that reads only when it is told to.
struct ReluctantClient {
  private let channel: any Channel
  private let received: AsyncStream<String>

  init(port: Int) async throws {
    let (received, receiving) = AsyncStream.makeStream(of: String.self)
    channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Receiver(receiving)) }
      }
      .channelOption(.autoRead, value: false)
      .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
      .connect(host: "127.0.0.1", port: port).get()
    self.received = received
  }

  func send(_ request: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: request)) }

  /// Reads until this has come, and nothing after that.
  ///
  /// - Returns: what has come.
  func read(until end: String) async throws -> String {
    var (all, tail) = ("", "")
    channel.read()
    for await part in received {
      all += part
      // Not in all of it, which may be long.
      tail = tail.suffix(end.count) + part
      if tail.contains(end) { return all }
      channel.read()
    }
    throw ChannelError.eof
  }

  func close() async throws { try await channel.close() }
}

private final class Receiver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let receiving: AsyncStream<String>.Continuation

  init(_ receiving: AsyncStream<String>.Continuation) { self.receiving = receiving }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receiving.yield(String(buffer: unwrapInboundIn(data)))
  }

  func channelInactive(context: ChannelHandlerContext) { receiving.finish() }
}
