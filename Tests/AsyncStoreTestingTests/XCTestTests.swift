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

  #if os(Linux)
    func testAssertionThatFailsUnderSomeScheduleIsFoundAndReportedOnceInXCTest() throws {
      let exploring = asyncTest { (_: XCTestCase) in
        {
          try await explore(.seeds(100)) { _ in
            let order = Note<[String]>()
            await withTaskGroup(of: Void.self) { group in
              for name in ["a", "b"] { group.addTask { order.add(name) } }
            }
            XCTAssertEqual(order.value, ["a", "b"])
          }
        }
      }
      let test = ExploringTest(name: "testOrder") { test in try exploring(test)() }
      test.run()
      // The reports are the assertion and the schedule. This test's own assertions have no test any more, because the
      // other one has ended.
      let failures = test.failures
      if failures.count != 2 { throw Failure("\(failures.count) reports: \(failures)") }
      if !failures[0].contains("XCTAssertEqual failed") { throw Failure(failures[0]) }
      let filter = #"--filter '[./]`?testAssertionThatFailsUnderSomeScheduleIsFoundAndReportedOnceInXCTest`?(\(|$)'"#
      if !failures[1].contains("swift test \(filter)") { throw Failure(failures[1]) }
    }
  #endif
}

#if os(Linux)
  /// A test that keeps its reported failures.
  private final class ExploringTest: XCTestCase {
    var failures: [String] = []

    override func recordFailure(withDescription description: String, inFile: String, atLine: Int, expected: Bool) {
      failures.append(description)
      super.recordFailure(withDescription: description, inFile: inFile, atLine: atLine, expected: expected)
    }
  }
#endif
