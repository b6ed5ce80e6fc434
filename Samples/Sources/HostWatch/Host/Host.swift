/// The machine that is watched: the environment of the stores.
///
/// Each closure reads one thing from the operating system, and throws a ``HostError`` if that fails. The tests use
/// closures of their own.
struct Host: Sendable {
  var processor: @Sendable () throws -> ProcessorCounters
  var memory: @Sendable () throws -> MemoryReading
  var load: @Sendable () throws -> LoadReading
  var disks: @Sendable () throws -> [ByteCounters]
  var fileSystems: @Sendable () throws -> [FileSystemReading]
  var network: @Sendable () throws -> [ByteCounters]
  /// The time since a fixed moment; it never goes back, so that rates can be computed from it.
  var uptime: @Sendable () -> Duration
}
