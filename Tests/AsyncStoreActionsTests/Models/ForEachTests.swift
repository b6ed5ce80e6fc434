import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("An effect for each element of a sequence")
struct ForEachTests {
  let store = BoardStore()

  private func numbers(_ count: Int, _ error: (any Error)? = nil) -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      for number in 0..<count { continuation.yield(number) }
      continuation.finish(throwing: error)
    }
  }

  @Test("`forEach` runs the effects of its elements in order, and ends before the next effect begins")
  func order() async {
    await store.run(
      .concatenate(
        .send(.log("begin")),
        .forEach(numbers(3)) { number in .concatenate(.task { .send(.log("\(number)")) }, .send(.add(1))) },
        .send(.log("then"))))
    #expect(store.lines == ["begin", "0", "1", "2", "then"])
    #expect(store.total == 3)
  }

  @Test("`forEach` waits for the effect of an element before it takes the next element", .simulated())
  func backPressure() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Board(), env: Service())
    await store.run(.forEach(numbers(3)) { number in .concatenate(.sleep(.seconds(10)), .send(.log("\(number)"))) })
    #expect(store.lines == ["0", "1", "2"])
    #expect(simulation.clock.now.offset == .seconds(30))
  }

  @Test("`forEach` fails with the error of its sequence, which `recover` can take")
  func failure() async {
    await store.run(
      .concatenate(
        .forEach(numbers(2, Failure())) { .send(.add($0)) }.recover { .send(.log("\($0)")) }, .send(.log("then"))))
    #expect(store.total == 1)
    #expect(store.lines == ["Failure()", "then"])
  }

  @Test("`forEach` is cancelled by its identifier, and commits nothing more")
  func cancel() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let handle = store.receive(.concatenate(.forEach(elements) { .send(.add($0)) }.id("plan"), .send(.log("then"))))
    continuation.yield(1)
    try? await store.wait(for: \.total, toEqual: 1)
    store.receive(.cancel("plan"))
    continuation.yield(2)
    _ = await handle.outcome
    #expect(store.state == Board(total: 1, lines: ["then"]))
  }

  @Test("`forEach` runs over a long sequence in constant stack depth")
  func length() async {
    await store.run(.forEach(numbers(20_000)) { _ in .send(.add(1)) })
    #expect(store.total == 20_000)
    #expect(store.inFlight.isEmpty)
  }

  @Test("`forEach` takes the effects of a part")
  func part() async {
    await store.child(\.left).run(.forEach(numbers(3)) { number in .set { $0.count += number } })
    #expect(store.left.count == 3)
  }
}
