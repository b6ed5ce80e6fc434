import Testing

@testable import AsyncStore

@Suite("The table of fibers")
struct FiberTableTests {
  private typealias Table = FiberTable<TestProgram>

  private func children(of parent: FiberSlot, in table: borrowing Table) -> [FiberSlot] {
    var children: [FiberSlot] = []
    var child = parent.exists ? table[parent].firstChild : table.firstRoot
    while child.exists {
      children.append(child)
      child = table[child].next
    }
    return children
  }

  private func free(_ slot: FiberSlot, in table: inout Table) {
    var released = ReleasedParts<TestProgram>()
    table.free(slot, to: &released)
  }

  @Test("The table of fibers links siblings in the order in which they come, and lets any of them leave")
  func siblings() {
    for leaving in 0..<4 {
      var table = Table()
      let parent = table.allocate(begun: .zero)
      table.insert(parent, under: .none)
      var expected: [FiberSlot] = []
      for _ in 0..<4 {
        let child = table.allocate(begun: .zero)
        table.insert(child, under: parent)
        expected.append(child)
      }
      free(expected.remove(at: leaving), in: &table)
      #expect(children(of: parent, in: table) == expected)
      #expect(table[expected[0]].previous == expected[2])
      while let last = expected.popLast() { free(last, in: &table) }
      #expect(children(of: parent, in: table) == [] && table.liveCount == 1)
      free(parent, in: &table)
      #expect(!table.firstRoot.exists && table.roots == [])
    }
  }

  @Test("The table of fibers tells a slot's tenants apart, even after it has given back its memory")
  func generations() {
    var table = Table()
    var names: Set<FiberID> = []
    for round in 0..<6 {
      let slot = table.allocate(begun: .zero)
      table.insert(slot, under: .none)
      let id = table.id(of: slot)
      #expect(slot == FiberSlot(index: 0) && names.insert(id).inserted && table.isAlive(id))
      #expect(table.roots == [id])
      free(slot, in: &table)
      if round % 2 == 1 { table.releaseMemory() }
      #expect(names.allSatisfy { !table.isAlive($0) && table.isCancelled($0) })
    }
  }

  @Test("The table of fibers links those under an identifier in the order in which they come, and lets any leave")
  func holders() {
    for leaving in 0..<3 {
      var table = Table()
      var list = SlotList()
      var expected: [FiberSlot] = []
      for _ in 0..<3 {
        let slot = table.allocate(begun: .zero)
        table.insert(slot, under: .none)
        table.append(slot, to: &list)
        expected.append(slot)
      }
      table.remove(expected.remove(at: leaving), from: &list)
      #expect(list.first == expected[0] && list.last == expected[1] && list.count == 2)
      #expect(table[expected[0]].nextHolder == expected[1] && table[expected[1]].previousHolder == expected[0])
      for slot in expected { table.remove(slot, from: &list) }
      #expect(list == SlotList())
    }
  }
}
