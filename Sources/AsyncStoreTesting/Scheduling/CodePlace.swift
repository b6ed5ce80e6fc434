import CAsyncStoreTesting
import Synchronization

/// The functions from which the running code called the concurrency runtime.
///
/// Recording them takes microseconds; finding their names takes milliseconds. They are known only on Linux, and only
/// for functions that were not inlined.
struct CodePlace: Sendable {
  /// Addresses of code, which is never written to.
  private nonisolated(unsafe) let addresses: [UnsafeMutableRawPointer?]

  static func caller() -> CodePlace {
    var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 32)
    let count = asyncStoreTesting_callers(&addresses, addresses.count)
    return CodePlace(addresses: Array(addresses.prefix(count)))
  }

  /// The name of the user's function, such as `AppTests.SearchTests.findsStaleResults()`, if it is a Swift function.
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

  /// Finds the symbol of an address by searching all symbols of the program.
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
  /// The symbols found so far, by address.
  private static let found = Mutex<[UInt: String?]>([:])
}

extension String {
  /// The function around all closures, without the compiler's wording: for `closure #1 () async -> () in App.load()`,
  /// the part after the last `in`.
  fileprivate var outermostFunction: String {
    let last = indices.last { self[$0...].hasPrefix(" in ") || self[$0...].hasPrefix(" for ") }
    guard let last else { return self }
    return String(self[last...].dropFirst().drop { $0 != " " }.dropFirst())
  }
}
