import AsyncStore
import Testing

struct Counter: Sendable, Equatable { var count = 0; var log: [String] = [] }
typealias CounterStore = AsyncStore<Counter, Void>

@Suite("Smoke")
struct SmokeTests {
  @Test func basics() async throws {
    let store = CounterStore(state: Counter(), env: ())
    store.receive(.set(\.count, to: 3))
    #expect(store.count == 3)
    let o = await store.run(.concatenate(.task { .set { $0.log.append("a") } }, .sleep(.milliseconds(5)), .task { .append("b", to: \.log) }))
    #expect(store.log == ["a", "b"])
    #expect(o.isFinished)
    let h = store.receive(.task({ try await Task.sleep(for: .seconds(10)); return .set(\.count, to: 9) }, "x"))
    print(store.inFlight)
    store.receive(.cancel("x"))
    print(await h.outcome)
    #expect(store.count == 3)
    await store.run(.merge(effects: (0..<100).map { i in .task { .set { $0.count += i } } }))
    #expect(store.count == 3 + 4950)
    let down = CounterStore(state: Counter(), env: ())
    down.bind(id: "b", to: store, on: \.count) { .set(\.count, to: $0) }
    #expect(down.count == 4953)
    store.receive(.set(\.count, to: 7))
    #expect(down.count == 7)
    store.receive(.timer(.milliseconds(2), id: "t") { tick in .task { .set { $0.count += 1 } } })
    try await store.wait(for: \.count, toSatisfy: { $0 >= 12 }, timeout: .seconds(5))
    #expect(down.count >= 12)
    try await store.shutdown(deadline: .seconds(5))
    #expect(store.inFlight.isEmpty)
    print(store.inFlight, down.inFlight)
  }

  @TaskLocal static var local = 0
  @Test func taskLocals() async throws {
    let store = CounterStore(state: Counter(), env: ())
    await Self.$local.withValue(5) {
      _ = await store.run(.concatenate(.sleep(.milliseconds(2)), .task { let l = Self.local; return .set(\.count, to: l) }))
    }
    #expect(store.count == 5)
  }

  @Test func dropped() async throws {
    weak var weakStore: CounterStore?
    let h: EffectHandle
    do {
      let store = CounterStore(state: Counter(), env: ())
      weakStore = store
      h = store.receive(.task { try? await Task.sleep(for: .seconds(100)); return .none })
      store.receive(.sleep(100))
    }
    #expect(weakStore == nil)
    print(await h.outcome)
  }
}
