import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

extension HTTP1Channel.Configuration {
  /// Connections that no client can keep open by doing nothing.
  ///
  /// - Parameters:
  ///   - grace: the time that a shutdown leaves to requests. A client that never sends the rest of its order, or never
  ///     reads the answer, would hold up the stores' drain until the supervisor kills the process.
  ///   - patience: the time after which a client that sends nothing, or reads nothing that waits for it, is cut off.
  static func limited(grace: Duration = .seconds(5), patience: Duration = .seconds(60)) -> Self {
    Self(
      additionalChannelHandlers: [
        EndingHandler(grace: TimeAmount(grace)), ReadingHandler(patience: TimeAmount(patience)),
      ],
      idleTimeout: TimeAmount(patience))
  }
}

/// Closes a connection if the bytes that wait for its client do not become fewer within some time.
final class ReadingHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let patience: TimeAmount
  private var nextLook: Scheduled<Void>?

  init(patience: TimeAmount) { self.patience = patience }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    nextLook?.cancel()
    nextLook = nil
    if !context.channel.isWritable { lookLater(at: context.channel) }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    nextLook?.cancel()
    nextLook = nil
    context.fireChannelInactive()
  }

  /// Closes the channel after some time unless fewer bytes wait by then, and looks again if so: a slow client may take
  /// longer for a long answer.
  private func lookLater(at channel: any Channel) {
    let waiting = Self.waitingBytes(of: channel)
    nextLook = channel.eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self] in
      guard Self.waitingBytes(of: channel) < waiting else { return channel.close(promise: nil) }
      self?.lookLater(at: channel)
    }
  }

  /// The bytes that the system has not taken yet, because the client has not read those before them.
  private static func waitingBytes(of channel: any Channel) -> Int {
    (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }
}

/// Closes a connection some time after its server has begun to shut down.
private final class EndingHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let grace: TimeAmount

  init(grace: TimeAmount) { self.grace = grace }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      let channel = context.channel
      context.eventLoop.scheduleTask(in: grace) { channel.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

/// The server of a shop.
struct Server {
  let application: Application<RouterResponder<ShopContext>>
  /// The port that it listens on, once it does.
  let ports: AsyncStream<Int>

  init(shop: Shop, metrics: PrometheusFactory, host: String, port: Int, logger: Logger) {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    self.ports = ports
    application = Application(
      router: Routes(shop: shop, metrics: metrics).router(), server: .http1(configuration: .limited()),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "orders"),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? port
        // Unbuffered: whoever started the program waits for it.
        try? FileHandle.standardOutput.write(contentsOf: Data("Listening on http://\(host):\(port)\n".utf8))
        listening.yield(port)
        listening.finish()
      },
      logger: logger)
  }
}
