import AsyncStoreTesting
import AsyncStorePersistence
import Logging

@testable import Orders

extension Simulation {
  /// A shop in this simulation's time, with partners of this behaviour.
  func shop(
    latency: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(50), failures: Double = 0, hangs: Double = 0,
    settings: Shop.Settings = Shop.Settings(), storage: (any Storage)? = nil
  ) throws -> (Shop, FakePartners) {
    let faults = faults(
      latency: latency, failures: failures, hangs: hangs, error: { PartnerError.unavailable("partner") })
    let partners = FakePartners(faults)
    let shop = try Shop(
      partners.partners, settings: settings, storage: storage, clock: clock, executor: executor,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return (shop, partners)
  }
}

extension OrderDraft {
  static let lamps = OrderDraft(item: "lamp", quantity: 2)
}
