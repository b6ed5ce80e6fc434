extension ByteCounters {
  /// Reads the text of `/proc/net/dev`, and keeps every interface but the loopback.
  ///
  /// ```
  /// Inter-|   Receive                            |  Transmit
  ///  face |bytes    packets errs drop fifo frame |bytes    packets
  ///   eth0:    5903      41    0    0    0     0     5713      61
  /// ```
  /// After the name come 8 numbers on received data, then 8 on sent data.
  static func interfaces(procNetDev text: String) throws -> [ByteCounters] {
    try ProcLine.lines(of: text, in: "/proc/net/dev").dropFirst(2).compactMap { line in
      // Some kernels leave no space after the colon, and a name may hold one: the last one counts.
      guard let colon = line.text.lastIndex(of: ":") else { throw line.malformed("there is no colon after a name") }
      let name = line.text[..<colon].drop { $0 == " " }
      let numbers = ProcLine(
        file: line.file,
        number: line.number,
        text: line.text,
        fields: [name] + line.text[line.text.index(after: colon)...].split(separator: " ")
      )
      let counters = ByteCounters(
        name: String(name),
        incoming: try numbers.count(1),
        outgoing: try numbers.count(9)
      )
      return counters.name == "lo" ? nil : counters
    }
  }
}
