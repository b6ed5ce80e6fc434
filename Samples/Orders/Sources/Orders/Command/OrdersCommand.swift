import ArgumentParser
import AsyncStore
import AsyncStorePersistence
import AsyncStoreServices
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle

/// The program `orders`.
public struct OrdersCommand: AsyncParsableCommand {
  /// The help of the command.
  public static let configuration = CommandConfiguration(
    commandName: "orders",
    abstract: "Takes orders, and fulfils each of them or undoes it.",
    discussion: """
      Open http://127.0.0.1:8080 for a live board. The warehouse, the bank and the carrier are simulated: they take \
      time, fail, refuse and hang. SIGTERM drains: no order is taken any more, those that are open are done or \
      undone, and their state is in the file.
      """
  )

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any.")
  var port = 8080
  @Option(help: "The file of the orders.")
  var file = "orders.state"
  @Flag(help: "Keep the orders in memory only.")
  var noFile = false
  @Option(help: "The number of closed orders to keep, the newest ones.")
  var keep = 100
  @Flag(help: "Partners answer at once and never fail.")
  var instant = false
  @Option(help: ArgumentHelp("Place orders for this long, then shut down and print a summary.", valueName: "seconds"))
  var demo: Int?
  @Option(
    help: ArgumentHelp(
      "Write the last events of the stores to this file at the end, to be opened at https://ui.perfetto.dev; as JSON "
        + "lines if the name ends in .jsonl.", valueName: "file"))
  var trace: String?
  @Option(help: "The level of the log, on the standard error stream.")
  var log = Logger.Level.error

  /// Creates a command with the default options.
  public init() {}

  /// Refuses a negative number of orders to keep.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard keep >= 0 else { throw ValidationError("--keep is a number of orders, zero or more, and not \(keep).") }
  }

  /// Serves until a signal arrives, or the demonstration is over.
  ///
  /// - Throws: an error if the file can't be used or the port is taken, if an order had not ended in time, if the last
  ///   state could not be saved, or if the demonstration has lost an order.
  public func run() async throws {
    let metrics = PrometheusFactory()
    MetricsSystem.bootstrap(metrics)
    var logger = Logger(label: "orders") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = log
    var settings = Shop.Settings()
    settings.memory = keep
    let behavior = instant ? PartnerBehavior.instant : PartnerBehavior()
    let recorder = trace.map { _ in TraceRecorder(capacity: 100_000) }
    let instruments: [any StoreInstrument] = [LogInstrument(logger), MetricsInstrument(factory: metrics)]
    let instrument = CombinedInstrument(instruments + [recorder].compactMap(\.self))
    let shop = try Shop(
      .simulated(behavior, seed: .random(in: .min ... .max)), settings: settings, storage: storage,
      instrument: instrument, logger: logger)

    let server = Server(shop: shop, metrics: metrics, host: host, port: demo == nil ? port : 0, logger: logger)
    // The last one is shut down first: the client, then the server, then the stores.
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
      .init(service: shop.service),
      // Its failure, for example because the port is taken, cancels no orders that have been opened again.
      .init(service: server.application, failureTerminationBehavior: .gracefullyShutdownGroup),
    ]
    let client = demo.map { Demo(seconds: $0, ports: server.ports) }
    if let client { services.append(.init(service: client, successTerminationBehavior: .gracefullyShutdownGroup)) }
    defer {
      write(client?.summary)
      write(shop.summary)
      if let recorder { writeTrace(of: recorder, logger) }
    }
    do {
      try await ServiceGroup(configuration: .serving(services, logger)).run()
    } catch {
      // The last orders are saved all the same; if they can't be, the log says so, because this error is thrown.
      do { try shop.checkSaved() } catch {
        logger.critical("The last orders are not saved.", metadata: ["error": "\(error)"])
      }
      throw error
    }
    try shop.checkSaved()
    try client?.check(shop.orders.state)
  }

  private var storage: FileStorage? {
    noFile || demo != nil ? nil : FileStorage(URL(filePath: file))
  }

  private func writeTrace(of recorder: TraceRecorder, _ logger: Logger) {
    guard let trace else { return }
    let text = trace.hasSuffix(".jsonl") ? recorder.jsonLines : recorder.chromeTrace
    do { try Data(text.utf8).write(to: URL(filePath: trace)) } catch {
      logger.error("The trace is not written.", metadata: ["file": "\(trace)", "error": "\(error)"])
    }
  }

  private func write(_ line: String?) {
    // A line that nobody reads any more is no error.
    if let line { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ServiceGroupConfiguration {
  /// Services that end at a signal.
  ///
  /// - Parameter limit: the time after which a shutdown is cut short. A server waits for its requests, and a request
  ///   may wait long for compensations that a partner does not answer; only then would the stores begin to drain. When
  ///   the services are cancelled, the stores clean up within their own limit, and end.
  static func serving(
    _ services: [ServiceConfiguration], limit: Duration = .seconds(20), _ logger: Logger
  ) -> Self {
    var configuration = Self(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = limit
    return configuration
  }
}

extension Shop {
  /// The orders in one line.
  var summary: String {
    let book = orders.state
    let counts = book.counts
    return """
      \(counts.accepted) accepted = \(counts.done) done + \(counts.undone) undone + \(counts.stuck) stuck \
      + \(book.open.count) open
      """
  }
}
