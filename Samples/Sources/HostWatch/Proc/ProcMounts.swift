/// The mount of a file system that has a size of its own.
struct Mount: Equatable {
  var device: String
  var mountPoint: String

  /// Reads the text of `/proc/mounts`, and keeps each device once, at its first mount.
  ///
  /// ```
  /// /dev/vda / ext4 rw,relatime,discard 0 0
  /// ```
  /// It leaves out file systems in memory, on other machines (asking those may block for minutes), and images, which
  /// are full by design. The root counts in any case: in a container its device is no path.
  static func mounts(procMounts text: String) throws -> [Mount] {
    var seen: Set<String> = []
    return try ProcLine.lines(of: text, in: "/proc/mounts").compactMap { line in
      let mount = Mount(device: unescaped(try line.field(0)), mountPoint: unescaped(try line.field(1)))
      let isLocal = mount.device.hasPrefix("/") && !mount.device.hasPrefix("//")
      let isImage = ["squashfs", "iso9660", "erofs"].contains(try line.field(2))
      let isCounted = mount.mountPoint == "/" || (isLocal && !isImage)
      return isCounted && seen.insert(mount.device).inserted ? mount : nil
    }
  }

  /// Returns a field in which the octal codes of spaces, tabs, line ends and backslashes are replaced:
  /// `/media/My\040Disk`.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = field.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3, let code = UInt8(String(rest.prefix(3)) ?? "", radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
