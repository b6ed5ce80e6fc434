/// The bytes that went through a disk or a network interface since the machine started.
struct ByteCounters: Equatable, Sendable {
  var name: String
  /// The bytes read from the disk, or received from the network.
  var incoming: UInt64
  /// The bytes written to the disk, or sent to the network.
  var outgoing: UInt64

  /// Returns the rates between `earlier` and now; 0 where a counter went back, as it does when its device is replaced.
  func rates(since earlier: ByteCounters, over time: Duration) -> ByteRates {
    let seconds = time / .seconds(1)
    func rate(_ earlier: UInt64, _ now: UInt64) -> Double {
      now > earlier && seconds > 0 ? Double(now - earlier) / seconds : 0
    }
    return ByteRates(
      name: name,
      incoming: rate(earlier.incoming, incoming),
      outgoing: rate(earlier.outgoing, outgoing)
    )
  }
}

/// The bytes a second that went through a disk or a network interface.
struct ByteRates: Equatable, Sendable {
  var name: String
  var incoming: Double
  var outgoing: Double
}
