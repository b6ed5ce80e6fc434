import Testing

@testable import AsyncStore

/// Tests of what goes on in a tree whose first pass stands still behind a lift with a long prefix.
@Suite("Laws 3, 5 and 11 beside a lift that is long")
struct LongLiftLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// An effect with a prefix of this many commits.
  @Sendable private static func count(to end: Int) -> Effect {
    .update { state in
      state.count += 1
      return state.count < end ? count(to: end) : .none
    }
  }

  /// Returns a store that other effects are lifted into, and calls `body` once in the middle of a long one.
  private func other(
    inTheMiddle body: @escaping @Sendable () -> Void
  ) -> (store: JournalStore, observer: JournalStore) {
    let (store, observer, isCalled) = (harness.store(), harness.store(), Note(false))
    observer.bind(id: "b", to: store, on: \.count) { count in
      if count > 1_500, !isCalled.value {
        isCalled.value = true
        body()
      }
      return .none
    }
    return (store, observer)
  }

  /// A wait that ends within a second.
  enum Wait: CaseIterable {
    case operation, sequence, timeout, identifier, retry, merge, race, deadline, timer, stream

    func before(_ next: Effect) -> Effect {
      let operation = Effect.task { .none }
      switch self {
      case .operation: return .concatenate(operation, next)
      case .sequence: return .sequence(operation, next)
      case .timeout: return .concatenate(operation.timeout(.seconds(9)), next)
      case .identifier: return .concatenate(operation.id("x"), next)
      case .retry: return .concatenate(operation.finally(.none).retry(.constant(.zero)), next)
      case .merge: return .concatenate(.merge(operation, .sleep(.seconds(1))), next)
      case .race: return .race(.sequence(operation, next), .sleep(.seconds(9)))
      case .deadline: return .concatenate(Effect.sleep(.seconds(1)).timeout(.seconds(9)), next)
      case .timer:
        return .timer(.seconds(1), id: "t") { tick in tick.index == 1 ? .sequence(operation, next) : .none }
      case .stream:
        let elements = AsyncStream<Int> { $0.yield(1) }
        return .stream(elements) { _ in .sequence(operation, next) }
      }
    }
  }

  @Test("An effect after a wait does not wait for a lift beside it", arguments: Wait.allCases)
  func law03_besideALift(wait: Wait) {
    let (store, seen) = (harness.store(), Note<[String]>([]))
    let (other, observer) = other { [harness] in
      harness.advance(by: .seconds(1))
      seen.value = store.log
    }
    let sibling = wait.before(.log("sibling"))
    store.receive(.merge(sibling, .lift(Self.count(to: 4_000), to: other), .log("last")))
    #expect(seen.value == ["sibling"])
    #expect(store.log == ["sibling", "last"])
    #expect(other.count == 4_000)
    store.deactivate()
    harness.settle()
    observer.deactivate()
    #expect(store.remains + other.remains + observer.remains == [])
  }

  @Test("A lift with an endless prefix is ended by what follows a wait beside it", arguments: Wait.allCases)
  func law11_endlessLift(wait: Wait) {
    let store = harness.store()
    let (other, observer) = other { [harness] in harness.advance(by: .seconds(1)) }
    let sibling = wait.before(.cancel("endless"))
    // For a test that fails it has an end.
    let endless = Effect.lift(Self.count(to: 20_000), to: other).id("endless")
    store.receive(.merge(sibling, endless, .log("last")))
    #expect((1_500..<4_000).contains(other.count))
    #expect(store.log == ["last"])
    store.deactivate()
    harness.settle()
    observer.deactivate()
    #expect(store.remains + other.remains + observer.remains == [])
  }

  @Test("An endless lift loses a race against what has waited")
  func law11_endlessEntrant() {
    let store = harness.store()
    let (other, observer) = other { [harness] in harness.settle() }
    let operation = Effect.task { .none }
    let handle = store.receive(
      .race(.sequence(operation, .log("winner")), .lift(Self.count(to: 20_000), to: other), .sleep(.seconds(9))))
    #expect((1_500..<4_000).contains(other.count))
    #expect(handle.outcomeIfSettled?.isFinished == true)
    #expect(store.log == ["winner"])
    observer.deactivate()
    #expect(store.remains + other.remains + observer.remains == [])
  }

  @Test(
    "The effects after a cancelled part of a prefix have been committed when `receive` returns",
    arguments: [false, true], [false, true])
  func law06_cancelledPart(isSequence: Bool, isCancelledByEffect: Bool) {
    let (store, observer, isCalled) = (harness.store(), harness.store(), Note(false))
    observer.bind(id: "b", to: store, on: \.count) { [harness] count in
      guard count > 1_500, !isCalled.value else { return .none }
      isCalled.value = true
      // From another thread's point of view: as long as this call lasts, the prefix stands still.
      if isCancelledByEffect {
        store.receive(.task { .cancel("long") })
        harness.settle()
      } else {
        store.receive(.cancel("long"))
      }
      #expect(store.log == [])
      return .none
    }
    let (long, rest) = (Self.count(to: 20_000).id("long"), (1...3_000).map { _ in Effect.set { $0.other += 1 } })
    let last = Effect.concatenate(effects: rest + [.log("last")])
    store.receive(.concatenate(isSequence ? .sequence(long) : long, last))
    #expect(store.log == ["last"] && store.other == 3_000)
    #expect(store.count < 4_000)
    observer.deactivate()
    #expect(store.remains + observer.remains == [])
  }
}
