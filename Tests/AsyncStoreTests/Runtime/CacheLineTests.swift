import Testing

@testable import AsyncStore

@Suite("The cache lines of stores")
struct CacheLineTests {
  private typealias TallyStore = AsyncStore<Int, Void>

  /// The usual size of a cache line, in bytes.
  private static let size: UInt = 64

  /// Returns the lines that a bare commit touches: the start of the runtime, and what the lock guards first.
  private func lines(of store: TallyStore) -> Set<UInt> {
    let (runtime, content) = (Unmanaged.passUnretained(store.runtime).toOpaque(), store.runtime.content)
    let addresses = [
      UInt(bitPattern: runtime), UInt(bitPattern: runtime) + 80, UInt(bitPattern: content.state),
      UInt(bitPattern: content.mutex), UInt(bitPattern: content.core),
    ]
    return Set(addresses.map { $0 / Self.size })
  }

  @Test("No two stores share a cache line that a bare commit touches")
  func bareCommits() {
    let stores = (0..<200).map { TallyStore(state: $0, env: ()) }
    var owners: [UInt: Int] = [:]
    for (number, store) in stores.enumerated() {
      for line in lines(of: store) {
        #expect(owners.updateValue(number, forKey: line) == nil, "stores \(number) and another share a line")
      }
    }
  }
}
