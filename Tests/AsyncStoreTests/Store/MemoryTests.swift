import Testing

@testable import AsyncStore

@Suite("The memory of a store")
struct MemoryTests {
  @Test("Memory keeps its content when it grows, and is aligned as requested")
  func growsAndIsAligned() {
    var numbers = Memory.resize(nil as UnsafeMutablePointer<Int>?, to: 4)
    for index in 0..<4 { (numbers + index).initialize(to: index) }
    // This size is beyond what the allocator serves from its tables of pages.
    numbers = Memory.resize(numbers, to: 1_000_000)
    #expect((0..<4).map { numbers[$0] } == [0, 1, 2, 3])
    Memory.release(numbers)
    for alignment in [1, 8, 16, 64, 4096] {
      let pieces = (0..<16).map { _ in Memory.allocate(bytes: 24, alignment: alignment) }
      #expect(pieces.allSatisfy { Int(bitPattern: $0) % alignment == 0 })
      for piece in pieces { Memory.release(piece) }
    }
  }
}
