/// A CRC-32 checksum as in ISO 3309, which detects every burst of up to 32 flipped bits.
struct Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private var value: UInt32 = 0xFFFF_FFFF

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var value = value
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
    }
    self.value = value
  }

  /// The checksum as eight hexadecimal digits.
  var text: String {
    let digits = String(value ^ 0xFFFF_FFFF, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
