import Testing

@testable import AsyncStore

/// Tests of the effects that follow a lift, and of lifts into the store that interprets them.
@Suite("Laws 6, 10, 12 and 21: lifts")
struct LiftLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// Forks and sequences, whose parts are logged in order.
  private var parts: Effect {
    .merge(
      .log("2"), .sequence(.log("3"), .log("4")), .log("5").label("n"),
      .concatenate(.log("6").finally(.log("7")), .log("8")))
  }

  @Test("Effects after a lift run in order, and before those beside it", arguments: [false, true])
  func law06_afterALift(isNested: Bool) {
    let (a, b) = (harness.store(), harness.store())
    let effect = Effect.merge(.concatenate(.lift(.log("1"), to: a), parts), .log("9"))
    if isNested { a.receive(.lift(effect, to: b)) } else { b.receive(effect) }
    #expect(a.log == ["1"])
    #expect(b.log == ["2", "3", "4", "5", "6", "7", "8", "9"])
  }

  @Test("A lift into its own store is interpreted in its place")
  func law06_ownLift() {
    let (a, b) = (harness.store(), harness.store())
    a.receive(
      .lift(.merge(.concatenate(.lift(.log("1"), to: b), parts, .lift(.logTask("10"), to: b)), .log("9")), to: b))
    #expect(b.log == ["1", "2", "3", "4", "5", "6", "7", "8", "9"])
    harness.settle()
    #expect(b.log.last == "10")
    #expect(b.remains == [])
  }

  @Test(
    "Under the identifier that it begins itself, an own lift does what its effect does there",
    arguments: IdentifierPolicy.samples)
  func law10_ownLiftInsideItsIdentifier(policy: IdentifierPolicy) {
    let (store, plain) = (harness.store(), harness.store())
    let inner = Effect.concatenate(.log("1"), .logTask("2")).id("q", policy)
    let handle = store.receive(.lift(inner, to: store).id("q", policy))
    let plainHandle = plain.receive(inner.id("q", policy))
    harness.settle()
    #expect(store.log == plain.log)
    #expect(handle.outcomeIfSettled?.word == plainHandle.outcomeIfSettled?.word)
    #expect(store.remains == [])
  }

  /// Returns the outcome of an effect's tree that is cancelled or refused by its identifier, or of a race with that
  /// effect in it.
  private func ending(of effect: Effect, in store: JournalStore, isRaced: Bool) -> String {
    let handle = store.receive(isRaced ? .race(effect, .sleep(.seconds(50))) : effect)
    store.receive(.cancel("x"))
    defer { handle.cancel() }
    return handle.outcomeIfSettled?.word ?? "in flight"
  }

  @Test(
    "An own lift ends as its effect does, which is cancelled or refused as a whole", arguments: [1, 2, 10_000],
    [false, true])
  func law12_ownLiftIsTransparent(depth: Int, isRaced: Bool) {
    let store = harness.store()
    func lifted(_ effect: Effect) -> Effect { (0..<depth).reduce(effect) { effect, _ in .lift(effect, to: store) } }
    let cancelled = Effect.sleep(.seconds(60)).id("x")
    #expect(ending(of: lifted(cancelled), in: store, isRaced: isRaced) == (isRaced ? "in flight" : "cancelled"))
    store.receive(.sleep(.seconds(60)).id("y"))
    let refused = Effect.log("refused").id("y", .keepFirst)
    let expected = ending(of: refused, in: store, isRaced: isRaced)
    #expect(ending(of: lifted(refused), in: store, isRaced: isRaced) == expected)
    #expect(store.log == [])
  }

  @Test("An error of an effect that was lifted into its own store goes to the recovery around it")
  func law21_ownLiftFails() {
    let store = harness.store()
    store.receive(Effect.lift(.fail("x"), to: store).recover { _ in .log("recovered") })
    harness.settle()
    #expect(store.log == ["recovered"])
  }

  @TaskLocal private static var value = "none"

  @Test("Operations behind a lift have their receiver's values also if the store drains and the lift leaves a timer")
  func law22_afterALiftWhileDraining() {
    let (store, other) = (harness.store(), harness.store())
    let gate = Gate()
    Self.$value.withValue("receiver") {
      _ = store.receive(
        .concatenate(
          .task {
            await gate.wait()
            return .none
          }, .lift(.timer(.seconds(1), id: "t") { _ in .none }, to: other), .sleep(.seconds(1)),
          .task { .log(Self.value) }))
    }
    harness.settle()
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    gate.open()
    harness.advance(by: .seconds(1))
    #expect(store.log == ["receiver"])
    #expect(shutdown.value?.isEmpty == true)
  }
}

extension IdentifierPolicy {
  fileprivate static let samples: [IdentifierPolicy] = [
    .replace, .keepFirst, .queue(), .atMost(1), .replaceAfterCleanup,
  ]
}
