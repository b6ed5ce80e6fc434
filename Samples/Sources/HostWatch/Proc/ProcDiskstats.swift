extension ByteCounters {
  /// Reads the text of `/proc/diskstats`, and keeps the disks that have hardware below them.
  ///
  /// ```
  ///  254       0 vda 6760 3794 4683530 12052 1689 3766 200240 934 0 4064 13022
  /// ```
  /// Field 6 counts the sectors read, field 10 those written.
  static func disks(procDiskstats text: String) throws -> [ByteCounters] {
    let all = try ProcLine.lines(of: text, in: "/proc/diskstats").map { line in
      ByteCounters(
        name: String(try line.field(2)),
        incoming: try line.count(5, ofSize: sector),
        outgoing: try line.count(9, ofSize: sector)
      )
    }
    let names = Set(all.map(\.name))
    return all.filter { !isLayered($0.name) && !isPartition($0.name, of: names) }
  }

  /// The size of the kernel's sectors, 512 bytes whatever the disk's own are.
  private static let sector: UInt64 = 512

  /// Returns whether a device keeps its data in memory, in a file or on other devices, where the same bytes are counted
  /// again.
  private static func isLayered(_ name: String) -> Bool {
    ["loop", "ram", "zram", "dm-", "md"].contains { name.hasPrefix($0) }
  }

  /// Returns whether a device is a part of another one of the list: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
  private static func isPartition(_ name: String, of disks: Set<String>) -> Bool {
    let disk = name.reversed().drop(while: \.isNumber)
    guard disk.count < name.count else { return false }
    let base = String(disk.reversed())
    return disks.contains(base) || (base.hasSuffix("p") && disks.contains(String(base.dropLast())))
  }
}
