import Testing

@testable import AsyncStore

@Suite("The inheritance of a tree")
struct InheritanceTests {
  /// Tasks are numbers here, heirs are letters.
  private typealias Subject = Inheritance<Int, String>

  @Test("is nothing before something is kept, and then heirs run where they are")
  func nothing() {
    var inheritance = Subject.nothing
    let place = inheritance.take(for: "a")
    #expect(place == .here)
    #expect(inheritance.isNothing)
  }

  @Test("is the first task that is kept; another one is handed back")
  func keeping() {
    var inheritance = Subject.nothing
    let superfluous = [inheritance.keep(1), inheritance.keep(2)]
    #expect(superfluous == [nil, 2])
    let place = inheritance.take(for: "a")
    #expect(place == .with(1))
    let another = inheritance.keep(3)
    #expect(another == 3, "also while it is in use")
  }

  @Test("is used by one thread at a time, which also runs the heirs of the others, in order")
  func use() {
    var inheritance = Subject.parked(1)
    let places = ["a", "b", "c"].map { inheritance.take(for: $0) }
    #expect(places == [.with(1), .elsewhere, .elsewhere])
    let (superfluous, heirs) = inheritance.replace(by: 2, isNeeded: true)
    #expect(superfluous == nil)
    #expect(heirs == ["b", "c"])
    let next = inheritance.take(for: "d")
    #expect(next == .with(2))
    let later = inheritance.replace(by: 3, isNeeded: true).heirs
    #expect(later == [])
  }

  @Test("is released with the tree, by its owner or by the thread that uses it")
  func end() {
    var inheritance = Subject.nothing
    let none = inheritance.end()
    #expect(none == nil)
    inheritance = .parked(1)
    let parked = inheritance.end()
    #expect(parked == 1)
    #expect(inheritance.isNothing)

    inheritance = .parked(2)
    _ = ["a", "b"].map { inheritance.take(for: $0) }
    let used = inheritance.end()
    #expect(used == nil, "it is in use")
    let (superfluous, heirs) = inheritance.replace(by: 3, isNeeded: false)
    #expect(superfluous == 3)
    #expect(heirs == ["b"], "heirs run all the same")
    #expect(inheritance.isNothing)
  }
}
