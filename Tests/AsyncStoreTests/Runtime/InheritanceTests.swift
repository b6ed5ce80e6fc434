import Testing

@testable import AsyncStore

@Suite("The inheritance of a tree's operations")
struct InheritanceTests {
  typealias Kept = Inheritance<String>

  /// Returns how an operation starts on a thread of the priority 25, without values or with some.
  private func starts(_ inheritance: Kept) -> [Kept.Start] {
    [true, false].map { hasNoValues in inheritance.start(hasNoValues: hasNoValues, priority: 25) }
  }

  @Test("A tree that has kept nothing starts its operations on the thread as it is")
  func nothingKept() {
    #expect(starts(Kept(mayOperate: true)) == [.here, .here])
  }

  @Test("A priority without values needs a task only where the thread has values or another priority")
  func priority() {
    #expect(starts(Kept(priority: 25)) == [.here, .inTask(priority: 25)])
    #expect(starts(Kept(priority: 9)) == [.inTask(priority: 9), .inTask(priority: 9)])
  }

  @Test("Values are bound wherever an operation starts")
  func values() {
    #expect(starts(Kept("values")) == [.with("values"), .with("values")])
  }

  @Test(
    "A receiver's priority is kept once, and only for a living tree whose operations may start later",
    arguments: [(true, true), (true, false), (false, true), (false, false)])
  func keepsPriority(mayOperate: Bool, isAlive: Bool) {
    var kept = Kept(mayOperate: mayOperate)
    let needsValues = kept.keep(priority: 9, isAlive: isAlive)
    let isKept = mayOperate && isAlive
    #expect(!needsValues)
    #expect(starts(kept).first == (isKept ? .inTask(priority: 9) : .here))
    let needsValuesLater = kept.keep(priority: nil, isAlive: isAlive)
    #expect(needsValuesLater == (mayOperate && !isKept))
  }

  @Test("The values of a receiver that has some are asked for, and the first that are adopted stay")
  func keepsValues() {
    var kept = Kept(mayOperate: true)
    let needsValues = kept.keep(priority: nil, isAlive: true)
    #expect(needsValues)
    kept.adopt(Kept("first"))
    kept.adopt(Kept("second"))
    kept.adopt(Kept(priority: 9))
    let needsMore = kept.keep(priority: 9, isAlive: true)
    #expect(!needsMore)
    #expect(starts(kept) == [.with("first"), .with("first")])
    let (taken, takenAgain) = (kept.takeValues(), kept.takeValues())
    #expect((taken, takenAgain) == ("first", nil))
  }
}
