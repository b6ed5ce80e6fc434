import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Testing

@Suite("Saves and the cancellation of effects")
struct CancellationTests {
  let storage = MemoryStorage()

  @Test("Cancelling all effects does not cancel a pending save", .simulated())
  func waiting() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    try store.persist(\.self, in: storage)
    store.receive(.append("one", to: \.books))
    store.receive(.cancelAll())
    store.receive(.cancel(prefix: "AsyncStorePersistence"))
    await simulation.clock.advance(by: .seconds(1))
    #expect(try storage.value(Library.self)?.books == ["one"])
  }

  @Test("A failed save is tried again even if all effects are cancelled in between", .simulated())
  func retrying() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    storage.fail(times: 1)
    let persistence = try store.persist(\.self, in: storage, saving: .immediate, retry: .constant(.seconds(1)))
    store.receive(.append("one", to: \.books))
    await simulation.clock.advance(by: .milliseconds(1))
    #expect(persistence.lastFailure != nil)
    store.receive(.cancelAll())
    await simulation.clock.advance(by: .seconds(1))
    #expect(try storage.value(Library.self)?.books == ["one"])
  }
}
