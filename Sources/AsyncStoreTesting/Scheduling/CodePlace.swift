import CAsyncStoreTesting
import Synchronization

/// The functions from which the running code called the concurrency runtime.
///
/// To note them takes some microseconds; to find their names, some milliseconds. They are known on Linux only, and as
/// far as they were not inlined.
struct CodePlace: Sendable {
  /// Addresses of code, which is never written to.
  private nonisolated(unsafe) let addresses: [UnsafeMutableRawPointer?]

  static func caller() -> CodePlace {
    var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 32)
    let count = asyncStoreTesting_callers(&addresses, addresses.count)
    return CodePlace(addresses: Array(addresses.prefix(count)))
  }

  /// The user's function, such as `AppTests.SearchTests.findsStaleResults()`; one that is Swift's.
  var name: String? {
    let symbol = symbols.first { symbol in
      symbol.hasPrefix("$s") && !Self.others.contains { symbol.hasPrefix($0) }
    }
    guard let symbol, let text = asyncStoreTesting_demangle(symbol) else { return nil }
    defer { asyncStoreTesting_free(text) }
    return String(cString: text).outermostFunction
  }

  /// True if a store's alarm called the runtime.
  var isAlarm: Bool { symbols.contains { $0.hasPrefix("$s10AsyncStore7RuntimeC10startAlarm") } }

  private var symbols: some Sequence<String> {
    addresses.lazy.compactMap { $0.flatMap { Self.symbol(at: $0) } }
  }

  /// Prefixes of the mangled names of this product, the store and the standard library.
  private static let others = ["$s17AsyncStoreTesting", "$s10AsyncStore", "$ss", "$sSc"]

  /// To find one goes through all symbols of the program.
  private static func symbol(at address: UnsafeMutableRawPointer) -> String? {
    _ = program
    return found.withLock { found in
      let key = UInt(bitPattern: address)
      if let symbol = found[key] { return symbol }
      let symbol = asyncStoreTesting_symbol(address).map { String(cString: $0) }
      found[key] = .some(symbol)
      return symbol
    }
  }

  private static let program: Void = asyncStoreTesting_readSymbols()
  /// By address, what was found.
  private static let found = Mutex<[UInt: String?]>([:])
}

extension String {
  /// The function around all closures, without what the compiler has made of it: of `closure #1 () async -> () in
  /// App.load()` the part behind the last `in`.
  fileprivate var outermostFunction: String {
    let last = indices.last { self[$0...].hasPrefix(" in ") || self[$0...].hasPrefix(" for ") }
    guard let last else { return self }
    return String(self[last...].dropFirst().drop { $0 != " " }.dropFirst())
  }
}
