import Testing

@testable import AsyncStore

@Suite("Unique arrays")
struct TableTests {
  /// Reports its release.
  private final class Held {
    let number: Int
    private let census: Note<Int>

    init(_ number: Int, _ census: Note<Int>) {
      self.number = number
      self.census = census
      census.value += 1
    }

    deinit { census.value -= 1 }
  }

  @Test("A unique array agrees with an array, and releases all that is put in")
  func againstArray() {
    let census = Note(0)
    do {
      var random = SplitMix64(seed: 5)
      var table = UniqueArray<Held>()
      var model: [Int] = []
      for number in 0..<500 {
        switch random.next() % 4 {
        case 0:
          #expect(table.popLast()?.number == model.popLast())
        case 1:
          let place = Int(random.next() % UInt64(model.count + 1))
          table.insert(Held(number, census), at: place)
          model.insert(number, at: place)
        default:
          table.append(Held(number, census))
          model.append(number)
        }
        #expect((0..<table.count).map { table[$0].number } == model)
        #expect(census.value == model.count && table.isEmpty == model.isEmpty)
      }
      table[0] = Held(7, census)
      #expect(table[0].number == 7 && census.value == model.count)
    }
    #expect(census.value == 0)
  }

  @Test("A unique array gives back its memory, and grows again")
  func forget() {
    var table = UniqueArray<Int>()
    table.forgetAll()
    for round in 1...3 {
      for number in 0..<100 { table.append(number * round) }
      #expect(table.count == 100 && table[99] == 99 * round)
      table.forgetAll()
      #expect(table.isEmpty && table.capacity == 0 && table.popLast() == nil)
    }
  }

  @Test("A unique array is reversed by moving its elements", arguments: 0..<6)
  func reversed(count: Int) {
    let census = Note(0)
    do {
      var elements = ContiguousArray((0..<count).map { Held($0, census) })
      elements.reverseByMoving()
      var table = UniqueArray<Held>()
      for number in 0..<count { table.append(Held(number, census)) }
      table.reverse()
      #expect(elements.map(\.number) == (0..<count).reversed())
      #expect((0..<count).map { table[$0].number } == (0..<count).reversed())
      #expect(census.value == 2 * count)
    }
    #expect(census.value == 0)
  }
}
