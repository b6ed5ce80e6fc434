/// The machine that is watched: the environment of the stores.
///
/// Each closure reads one thing from the operating system, and throws a ``HostError`` where that fails. The tests put
/// closures of their own in.
struct Host: Sendable {
  var processor: @Sendable () throws -> ProcessorCounters
  var memory: @Sendable () throws -> MemoryReading
  var load: @Sendable () throws -> LoadReading
  var disks: @Sendable () throws -> [ByteCounters]
  var fileSystems: @Sendable () throws -> [FileSystemReading]
  var network: @Sendable () throws -> [ByteCounters]
  /// The time since some fixed moment: it never goes back, so that rates can be computed from it.
  var uptime: @Sendable () -> Duration
}
