import Testing

@testable import AsyncStore

@Suite("The inheritance of a tree")
struct InheritanceTests {
  /// Tasks are numbers here.
  private typealias Subject = Inheritance<Int>

  @Test("is nothing before something is kept")
  func nothing() {
    var inheritance = Subject.nothing
    let found = inheritance.take()
    #expect(found == .nothing)
    #expect(inheritance == .nothing)
  }

  @Test("is the first task that is kept; another one is handed back")
  func keeping() {
    var inheritance = Subject.nothing
    let superfluous = [inheritance.keep(1), inheritance.keep(2)]
    #expect(superfluous == [nil, 2])
    let found = inheritance.take()
    #expect(found == .parked(1))
    let another = inheritance.keep(3)
    #expect(another == 3, "also while it is in use")
  }

  @Test("is used by one thread at a time, which leaves another task")
  func use() {
    var inheritance = Subject.parked(1)
    let found = [inheritance.take(), inheritance.take()]
    #expect(found == [.parked(1), .inUse])
    let superfluous = inheritance.replace(by: 2, isNeeded: true)
    #expect(superfluous == nil)
    #expect(inheritance == .parked(2))
  }

  @Test("is released with the tree, by its owner or by the thread that uses it")
  func end() {
    var inheritance = Subject.nothing
    let none = inheritance.end()
    #expect(none == nil)
    inheritance = .parked(1)
    let parked = inheritance.end()
    #expect(parked == 1)
    #expect(inheritance == .nothing)

    inheritance = .parked(2)
    _ = inheritance.take()
    let used = inheritance.end()
    #expect(used == nil, "it is in use")
    let superfluous = inheritance.replace(by: 3, isNeeded: false)
    #expect(superfluous == 3)
    #expect(inheritance == .nothing)
  }
}
