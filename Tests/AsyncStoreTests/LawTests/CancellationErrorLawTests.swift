import Testing

@testable import AsyncStore

@Suite("Law 12: the error of a cancelled operation")
struct CancellationErrorLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let mapped = Note<[String]>([])

  func store() -> JournalStore {
    harness.store { [mapped] error in
      mapped.change { $0.append("\(error)") }
      return .log("mapped")
    }
  }

  @Test("A CancellationError passes by every recover around what cancelled its operation", arguments: Cause.allCases)
  func law12_passesByRecover(cause: Cause) {
    let store = store()
    let calls = Note(0)
    let operation = Effect.task {
      calls.change { $0 += 1 }
      if calls.value == 1 { try await Gate().waitUnlessCancelled() }
      return .none
    }
    let recovered = cause.cancelling(operation.recover { .log("inner \($0)") }).recover { .log("recovered \($0)") }
    store.receive(.concatenate(recovered.recover { .log("outer \($0)") }, .log("next")))
    harness.settle()
    if cause == .identifier { store.receive(.cancel("a")) }
    harness.advance(by: .seconds(3))
    #expect(mapped.value == ["CancellationError()"])
    #expect(store.log == ["mapped", "next"])
    #expect(store.remains == [])
  }

  enum Cause: CaseIterable {
    case identifier, timeout, race, retry

    func cancelling(_ effect: Effect) -> Effect {
      switch self {
      case .identifier: return effect.id("a")
      case .timeout: return effect.timeout(.seconds(1))
      case .race: return .race(effect, .sleep(.seconds(1)))
      case .retry:
        let attempts = Note(0)
        let failsOnce = Effect.task {
          attempts.change { $0 += 1 }
          if attempts.value == 1 { throw Failure("x") }
          return .none
        }
        return .merge(effect, .concatenate(.sleep(.seconds(1)), failsOnce)).retry(
          .constant(.zero).limitedTo(attempts: 2))
      }
    }
  }

  @Test("Any other error goes to the nearest recover that was not cancelled with its operation")
  func law12_otherError() {
    let store = store()
    let operation = Effect.task {
      try? await Gate().waitUnlessCancelled()
      throw Failure("x")
    }
    store.receive(
      operation.recover { .log("inner \($0)") }.timeout(.seconds(1)).recover { .log("recovered \($0)") })
    harness.advance(by: .seconds(1))
    #expect(mapped.value == [])
    #expect(store.log == ["recovered x"])
  }

  @Test("A CancellationError of an operation that nobody has cancelled is a failure as any other")
  func law12_ofItsOwn() {
    let store = store()
    let attempts = Note(0)
    let failing = Effect.task {
      attempts.change { $0 += 1 }
      throw CancellationError()
    }
    store.receive(
      .sequence(
        .none.compensate(with: .log("undone")), failing.retry(.constant(.zero).limitedTo(attempts: 2)), .log("never")
      )
      .recover { .log("recovered \($0)") })
    harness.settle()
    #expect(mapped.value == [])
    #expect(attempts.value == 2)
    #expect(store.log == ["undone", "recovered CancellationError()"])
  }
}
