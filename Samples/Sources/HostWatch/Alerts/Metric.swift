/// A share of something of the machine that an alert rule can watch; 1 means all of it.
enum Metric: String, CaseIterable, Encodable, Sendable {
  case processorUse
  case memoryUse
  case swapUse
  /// The one-minute load average, as a share of the cores: 1 means that every core had one thread to run.
  case loadPerCore
  case fullestFileSystemUse
}
