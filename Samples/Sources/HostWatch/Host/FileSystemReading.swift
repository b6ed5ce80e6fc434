/// The space on a mounted file system at one moment, in bytes.
struct FileSystemReading: Equatable, Sendable {
  var mountPoint: String
  var total: UInt64
  /// The space that ordinary users can still fill.
  var free: UInt64

  /// The used share, from 0 to 1.
  var use: Double { total > 0 ? 1 - Double(min(free, total)) / Double(total) : 0 }
}
