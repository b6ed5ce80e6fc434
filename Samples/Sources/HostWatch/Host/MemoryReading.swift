/// The state of the memory at one moment, in bytes.
struct MemoryReading: Equatable, Sendable {
  var total: UInt64
  /// The memory that programs can still get without swapping.
  var available: UInt64
  var swapTotal: UInt64 = 0
  var swapFree: UInt64 = 0

  var used: UInt64 { total - min(available, total) }
  var swapUsed: UInt64 { swapTotal - min(swapFree, swapTotal) }

  /// The used share of the memory, from 0 to 1.
  var use: Double { total > 0 ? Double(used) / Double(total) : 0 }
  /// The used share of the swap space, from 0 to 1; 0 where there is none.
  var swapUse: Double { swapTotal > 0 ? Double(swapUsed) / Double(swapTotal) : 0 }
}
