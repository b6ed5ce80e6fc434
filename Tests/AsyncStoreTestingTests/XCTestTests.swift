import AsyncStore
import AsyncStoreTesting
import XCTest

/// Everything but the traits works in XCTest as well.
final class XCTestTests: XCTestCase {
  func testStoreIsSimulatedInXCTest() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Journal(), env: ())
      store.receive(.concatenate(.sleep(.seconds(1)).id("pause"), .log("a")))
      store.expect(.begun("pause"))
      await store.expect(.settled("pause"), after: .seconds(1))
      store.expect { $0.log = ["a"] }
      XCTAssertEqual(store.log, ["a"])
    }
  }

  func testErrorThrownUnderSomeScheduleIsFoundInXCTest() async throws {
    do {
      try await explore(.seeds(100)) { _ in
        let order = Note<[String]>()
        await withTaskGroup(of: Void.self) { group in
          for name in ["a", "b"] { group.addTask { order.add(name) } }
        }
        if order.value == ["b", "a"] { throw Failure("the other way round") }
      }
      XCTFail("nothing was found")
    } catch let failure as SimulationFailure {
      XCTAssertEqual(failure.code, .failingSchedule)
    }
  }
}
