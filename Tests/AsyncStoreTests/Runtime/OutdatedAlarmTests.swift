import Foundation
import Testing

@testable import AsyncStore

/// An alarm that was replaced may still ring, because its task was about to wake when it was cancelled.
@Suite("An alarm that is outdated")
struct OutdatedAlarmTests {
  @Test("An outdated alarm does nothing, even while the current one is at its work")
  func law13_outdatedAlarmRings() async {
    let (clock, executor) = (HandClock(), HandExecutor())
    let store = JournalStore(state: Journal(), env: (), clock: clock, executor: executor)
    let (mapping, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    store.receive(.concatenate(.sleep(.seconds(10)), .log("sleep until 10")))
    executor.run()
    store.receive(
      .timer(.seconds(7), id: "timer") { _ in
        mapping.signal()
        mayGoOn.wait()
        return .log("tick at 7")
      })
    executor.run()
    #expect(clock.deadlines == [.seconds(7), .seconds(10)])

    clock.pass(to: .seconds(10))
    clock.wake(.seconds(7))
    let (current, end) = AsyncStream.makeStream(of: Void.self)
    // A thread of its own: those of tasks may all be taken by tests, which this one would keep waiting meanwhile.
    Thread.detachNewThread {
      executor.run()
      end.finish()
    }
    mapping.wait()
    clock.wake(.seconds(10))
    executor.run()
    #expect(store.log == [], "the tick comes first, however long it takes to be mapped")
    mayGoOn.signal()
    for await _ in current {}
    #expect(store.log == ["tick at 7", "sleep until 10"])
    #expect(clock.deadlines == [.seconds(14)], "one alarm only goes on")
    store.deactivate()
    clock.wake(.seconds(14))
    executor.run()
    #expect(clock.deadlines == [])
  }
}
