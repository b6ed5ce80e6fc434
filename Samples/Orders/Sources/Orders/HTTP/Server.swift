import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

extension HTTP1Channel.Configuration {
  /// Connections that no client can keep open by doing nothing.
  ///
  /// - Parameter grace: the time that a shutdown leaves to requests. A client that never sends the rest of its order,
  ///   or never reads the answer, would hold up the stores' drain until the supervisor kills the process.
  static func limited(grace: Duration = .seconds(5)) -> Self {
    Self(additionalChannelHandlers: [EndingHandler(grace: TimeAmount(grace))], idleTimeout: .seconds(60))
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
        FileHandle.standardOutput.write(Data("Listening on http://\(host):\(port)\n".utf8))
        listening.yield(port)
        listening.finish()
      },
      logger: logger)
  }
}
