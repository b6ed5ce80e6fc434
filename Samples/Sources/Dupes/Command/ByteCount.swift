import ArgumentParser

/// A number of bytes as people write it: `512`, `4K`, `1.5 MiB` without the space.
struct ByteCount: Equatable {
  var bytes: Int

  private static let units: [String: Int] = [
    "": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
    "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
  ]

  init(bytes: Int) { self.bytes = bytes }
}

extension ByteCount: ExpressibleByArgument {
  init?(argument: String) {
    let number = argument.prefix { $0.isNumber || $0 == "." }
    guard let amount = Double(number), let unit = Self.units[argument.dropFirst(number.count).lowercased()],
      let bytes = Int(exactly: (amount * Double(unit)).rounded(.up))
    else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String { "\(bytes)" }
}
