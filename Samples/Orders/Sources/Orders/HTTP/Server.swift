import Foundation
import Hummingbird
import Logging

/// The server of a shop.
struct Server {
  let application: Application<RouterResponder<ShopContext>>
  /// The port that it listens on, once it does.
  let ports: AsyncStream<Int>

  init(shop: Shop, metrics: PrometheusFactory, host: String, port: Int, logger: Logger) {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    self.ports = ports
    application = Application(
      router: Routes(shop: shop, metrics: metrics).router(),
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
