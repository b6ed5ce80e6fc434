import Testing

@testable import AsyncStore

@Suite("The list of joiners")
struct JoinerListTests {
  private func id(_ number: UInt64) -> FiberID { FiberID(bits: number) }

  private func list(_ numbers: [UInt64]) -> JoinerList {
    var list = JoinerList()
    for number in numbers { list.append(id(number)) }
    return list
  }

  @Test("All joiners leave the list at once, in the order in which they joined")
  func all() {
    var list = list([3, 1, 2])
    #expect(list.removeAll() == [id(3), id(1), id(2)])
    #expect(list.isEmpty && list.removeAll().isEmpty)
  }

  @Test("Removed joiners are returned in the list's order, without those that were not in it")
  func some() {
    var list = list([3, 1, 2, 5])
    #expect(list.remove([id(5), id(4), id(3)]) == [id(3), id(5)])
    #expect(list.ids == [id(1), id(2)])
    #expect(list.remove([id(9)]).isEmpty)
  }

  @Test("Cancelled joiners are to be removed once they are half of the list", arguments: 1...9)
  func cancelled(count: Int) {
    var list = list((1...UInt64(count)).map { $0 })
    var noted = 1
    while !list.noteCancelled() { noted += 1 }
    #expect(noted == (count + 1) / 2)
    list.keep(Array(list.ids.dropFirst(noted)))
    #expect(list.ids.count == count - noted)
    // The count begins anew.
    let isDue = list.noteCancelled()
    #expect(isDue == (list.ids.count <= 2))
  }
}
