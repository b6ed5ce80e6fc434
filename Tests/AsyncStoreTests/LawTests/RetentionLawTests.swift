import Testing

@testable import AsyncStore

/// Law 20: the store releases each completed part of a tree, even while the rest of the tree is in flight.
@Suite("Law 20: the content of an effect in flight")
struct RetentionLawTests {
  typealias Effect = JournalStore.Effect

  /// A token that an effect captures.
  private final class Token: Sendable {}

  /// An effect that captures a token, and ends at once.
  private struct Capturing: Sendable {
    let name: String
    /// True if a sequence around the effect would end by it, or would still need the captured token.
    var concernsSequence = false
    let effect: @Sendable (Token, JournalStore) -> Effect
  }

  /// An effect that continues forever once the given one is done.
  private struct Lasting: Sendable {
    let name: String
    var endsWithErrors = false
    let effect: @Sendable (Effect, JournalStore) -> Effect
  }

  private static func use(_ token: Token) {}

  /// Shows whether a token lives.
  private struct Watch {
    weak var token: Token?
  }

  /// Makes a token that nothing holds except what `body` passes it to.
  private static func capture<Result>(_ body: (Token) -> Result) -> (Watch, Result) {
    let made = Token()
    return (Watch(token: made), body(made))
  }

  private static let capturing: [Capturing] = [
    .init(name: "set") { token, _ in .set { _ in use(token) } },
    .init(name: "update") { token, _ in
      .update { _ in
        use(token)
        return .log("after")
      }
    },
    .init(name: "read") { token, _ in
      .read { _ in
        use(token)
        return .none
      }
    },
    .init(name: "task") { token, _ in
      .task {
        use(token)
        return .log("after")
      }
    },
    .init(name: "task and task") { token, _ in
      .task {
        use(token)
        return .task { .none }
      }
    },
    .init(name: "recovered") { token, _ in
      .task {
        use(token)
        throw Failure("x")
      }
      .recover { _ in .task { .none } }
    },
    .init(name: "handler") { token, _ in
      .task { throw Failure("x") }
        .recover { _ in
          use(token)
          return .none
        }
    },
    .init(name: "retried") { token, _ in
      .task {
        use(token)
        return .none
      }
      .retry(.constant(.zero))
    },
    .init(name: "while retried", concernsSequence: true) { token, _ in
      .task { throw Failure("x") }
        .retry(.constant(.zero)) { _ in
          use(token)
          return false
        }
    },
    .init(name: "else") { token, _ in Effect.none.label("n").timeout(.seconds(1), else: .set { _ in use(token) }) },
    .init(name: "else of a folded task") { token, _ in
      Effect.task { .none }.timeout(.seconds(1), else: .set { _ in use(token) })
    },
    .init(name: "compensation", concernsSequence: true) { token, _ in
      .sequence(.log("a").compensate(with: .set { _ in use(token) }), .log("b"))
    },
    .init(name: "loser") { token, _ in
      .race(
        .log("x"),
        .task {
          use(token)
          return .none
        })
    },
    .init(name: "lifted") { token, other in .lift(.set { _ in use(token) }, to: other) },
    .init(name: "lifted task") { token, other in
      .lift(
        .task {
          use(token)
          return .none
        }, to: other)
    },
    .init(name: "stream") { token, _ in
      .stream(AsyncStream<Int> { $0.finish() }) { _ in
        use(token)
        return .none
      }
    },
  ]

  private static let pause = Effect.sleep(.seconds(1_000_000))

  private static let lasting: [Lasting] = [
    .init(name: "first") { done, _ in .concatenate(done, pause) },
    .init(name: "second") { done, _ in .concatenate(.log("a"), done, .log("b"), pause, .log("x")) },
    .init(name: "inner, before") { done, _ in .concatenate(.concatenate(.log("a"), done), pause, .log("x")) },
    .init(name: "inner, beside") { done, _ in .concatenate(.concatenate(done, pause, .log("x")), .log("x")) },
    .init(name: "before a task") { done, _ in
      .concatenate(
        done,
        .task {
          try await Gate().waitUnlessCancelled()
          return .none
        })
    },
    .init(name: "before a folded task") { done, _ in
      .concatenate(
        done,
        Effect.task {
          try await Gate().waitUnlessCancelled()
          return .none
        }.timeout(.seconds(1_000_000)).retry(.constant(.zero)), .log("x"))
    },
    .init(name: "before a timer") { done, _ in .concatenate(done, .timer(.seconds(1000), id: "t") { _ in .none }) },
    .init(name: "beside a timer") { done, _ in .merge(done, .timer(.seconds(1000), id: "t") { _ in .none }) },
    .init(name: "beside a stream") { done, _ in .merge(done, .stream(AsyncStream<Int> { _ in }) { _ in .none }) },
    .init(name: "merged, first") { done, _ in .merge(done, pause) },
    .init(name: "merged, last") { done, _ in .merge(pause, .log("a"), done) },
    .init(name: "merged with a limit") { done, _ in .merge(effects: [done, pause, .log("x")], limit: 1) },
    .init(name: "in sequence", endsWithErrors: true) { done, _ in .sequence(.log("a"), done, pause, .log("x")) },
    .init(name: "racing") { done, _ in .race(pause, .concatenate(done, pause)) },
    .init(name: "name") { done, _ in .concatenate(.concatenate(done, pause).label("n"), .log("x")) },
    .init(name: "a scope") { done, _ in .concatenate(done, pause).id("scope") },
    .init(name: "in a scope") { done, _ in .concatenate(.merge(done.id("a"), pause).id("b"), .log("x")) },
    .init(name: "in line") { done, _ in .merge(done.id("q", .queue()), pause.id("q", .queue())) },
    .init(name: "throttle") { done, _ in .concatenate(done.throttle(for: .seconds(1), id: "th"), pause) },
    .init(name: "bounded") { done, _ in .concatenate(.concatenate(done, pause).timeout(.seconds(2_000_000)), .log("x"))
    },
    .init(name: "finally") { done, _ in .concatenate(done, pause).finally(.log("x")) },
    .init(name: "before a finally") { done, _ in done.finally(pause) },
    .init(name: "recovering") { done, _ in .concatenate(.concatenate(done, pause).recover { _ in .none }, .log("x")) },
    .init(name: "compensated", endsWithErrors: true) { done, _ in .sequence(done.compensate(with: .log("x")), pause) },
    .init(name: "undoing") { done, _ in .sequence(.log("a").compensate(with: .concatenate(done, pause)), .fail("x")) },
    .init(name: "returned") { done, _ in .concatenate(.task { .concatenate(done, pause) }, .log("x")) },
    .init(name: "lifting") { done, other in
      .concatenate(.lift(done, to: other), .log("a"), pause)
    },
    .init(name: "lifted") { done, other in .concatenate(.lift(.concatenate(done, pause), to: other), .log("x")) },
  ]

  /// - Returns: the reason for the failure, or `nil`.
  private static func failure(_ name: String, _ make: (Token, JournalStore) -> Effect) -> String? {
    let harness = Harness()
    let (store, other) = (harness.store(), harness.store())
    let (watch, _) = capture { store.receive(make($0, other)) }
    harness.settle()
    // Some effects begin with a window of time.
    harness.advance(by: .seconds(2))
    // Not by the list, which unfolds operations: they then release what they did not before.
    if store.inFlightCount == 0 { return "\(name): nothing is in flight" }
    return watch.token == nil ? nil : "\(name): is kept by\n\(store.inFlight)"
  }

  @Test("An effect in flight keeps only what it has still to do, whatever is around it")
  func law20_done() {
    var failures: [String] = []
    for shape in Self.lasting {
      for capturing in Self.capturing where !shape.endsWithErrors || !capturing.concernsSequence {
        let failure = Self.failure("\(capturing.name), \(shape.name)") { shape.effect(capturing.effect($0, $1), $1) }
        if let failure { failures.append(failure) }
      }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.joined(separator: "\n"))")
  }

  @Test("An effect in flight keeps only what it has still to do, inside two other effects too")
  func law20_doneDeeper() {
    var failures: [String] = []
    for outer in Self.lasting {
      for inner in Self.lasting {
        // Effects with the same names would interfere with each other.
        for capturing in Self.capturing.prefix(4) {
          let failure = Self.failure("\(capturing.name), \(inner.name), \(outer.name)") {
            outer.effect(inner.effect(capturing.effect($0, $1), $1), $1)
          }
          if let failure { failures.append(failure) }
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(10).joined(separator: "\n"))")
  }

  @Test("A timeout that has replaced another one keeps only what it has still to do")
  func law20_replacedTimeout() {
    let store = Harness().store()
    for _ in 1...3 {
      let (watch, _) = Self.capture { token in
        let effect = Effect.concatenate(.set { _ in Self.use(token) }, Self.pause)
        store.receive(effect.timeout(.seconds(2_000_000)).id("search"))
      }
      #expect(watch.token == nil)
      #expect(store.inFlight.map(\.kind) == [.timeout, .sleep])
    }
  }

  @Test("A cancelled effect keeps nothing that the cancel has made impossible, while its operation has not returned")
  func law20_cancelled() {
    let shapes: [(String, @Sendable (Effect, Effect) -> Effect)] = [
      ("concatenate", { .concatenate($0, $1) }), ("merge", { .merge(effects: [$0, $1], limit: 1) }),
      ("sequence", { .sequence($0, $1) }), ("timeout", { $0.timeout(.seconds(9), else: $1) }),
      ("retry", { .concatenate($0, $1).retry(.constant(.zero)) }), ("nested", { .concatenate(.concatenate($0), $1) }),
      ("recover", { effect, done in effect.recover { _ in done } }),
      ("compensated", { .sequence($0.compensate(with: $1), .log("x")) }),
      ("queue", { .merge($0.id("q", .queue()), $1.id("q", .queue())) }),
    ]
    for (name, shape) in shapes {
      let harness = Harness()
      let (store, gate) = (harness.store(), Gate())
      let (watch, handle) = Self.capture { token in
        let stubborn = Effect.task {
          await gate.wait()
          return .none
        }
        return store.receive(shape(stubborn, .set { _ in Self.use(token) }))
      }
      harness.settle()
      #expect(watch.token != nil, "\(name): it may still come")
      handle.cancel()
      harness.settle()
      #expect(watch.token == nil, "\(name): it can't come any more")
      gate.open()
      harness.settle()
      #expect(store.remains == [], "\(name)")
    }
  }

  @Test("A cancelled effect keeps nothing that it has done or can't do any more, while its cleanup runs")
  func law20_cleaningUp() {
    let long = Effect.sleep(.seconds(100_000))
    let shapes: [(String, @Sendable (Effect) -> Effect)] = [
      ("else", { long.finally(long).timeout(.seconds(1000), else: $0) }),
      ("handler", { done in long.finally(long).recover { _ in done } }),
      ("limited merge", { .merge(effects: [long.finally(long), $0], limit: 1) }),
      ("sequence", { .sequence(long.finally(long), $0) }),
      ("compensation", { .sequence(long.finally(long).compensate(with: $0), .log("x")) }),
      ("done of a cleanup", { long.finally(.concatenate($0, long)) }),
      ("done of the undoing", { .sequence(.log("a").compensate(with: long), .log("b").compensate(with: $0), long) }),
    ]
    for (name, shape) in shapes {
      let harness = Harness()
      let store = harness.store()
      let (watch, _) = Self.capture { token in store.receive(shape(.set { _ in Self.use(token) }).id("a")) }
      harness.settle()
      store.receive(.cancel("a"))
      harness.settle()
      #expect(!store.inFlight.isEmpty, "\(name): it cleans up")
      #expect(watch.token == nil, "\(name)")
    }
  }

  @Test("A deactivated store keeps no cleanup that can't run any more, while an operation has not returned")
  func law20_deactivated() {
    let long = Effect.sleep(.seconds(100_000))
    let shapes: [(String, @Sendable (Effect, Effect) -> Effect)] = [
      ("finally", { $0.finally($1) }), ("compensation", { .sequence(.log("a").compensate(with: $1), $0) }),
      ("behind a cleanup", { long.finally($0).finally($1) }),
    ]
    for (name, shape) in shapes {
      let harness = Harness()
      let (store, gate) = (harness.store(), Gate())
      let (watch, _) = Self.capture { token in
        store.receive(shape(.logTask("late", after: gate), .set { _ in Self.use(token) }).id("a"))
      }
      harness.settle()
      if name == "behind a cleanup" { store.receive(.cancel("a")) }
      harness.settle()
      store.deactivate()
      harness.settle()
      #expect(watch.token == nil, "\(name)")
      gate.open()
      harness.settle()
      #expect(store.remains == [], "\(name)")
    }
  }

  @Test("A store keeps nothing once all effects have ended, in whatever order cleanups and a deactivation came")
  func law20_deactivatedBetweenCleanups() {
    let long = Effect.sleep(.seconds(100_000))
    let shapes: [(String, @Sendable (Effect) -> Effect)] = [
      ("finally", { .merge($0, long.finally(.log("inner"))).finally(.log("outer")) }),
      ("sequence", { .sequence(.log("a").compensate(with: .log("outer")), .merge($0, long.finally(.log("inner")))) }),
      ("three", { .merge($0, long.finally(.log("inner"))).finally(.log("outer")).finally(.log("outmost")) }),
    ]
    for (name, shape) in shapes {
      let harness = Harness()
      let (store, gate) = (harness.store(), Gate())
      let handle = store.receive(shape(.logTask("late", after: gate)).id("a"))
      harness.settle()
      // The inner cleanup has run, and the outer one waits for the operation.
      handle.cancel()
      harness.settle()
      #expect(store.log.last == "inner", "\(name)")
      store.deactivate()
      gate.open()
      harness.settle()
      #expect(handle.isSettled, "\(name)")
      #expect(store.log.last == "inner", "\(name)")
      #expect(store.remains == [], "\(name)")
    }
  }

  @Test("A list keeps no operation in its middle that has returned another one")
  func law20_returnedOperation() {
    let harness = Harness()
    let (store, gate) = (harness.store(), Gate())
    let (watch, _) = Self.capture { token in
      let returns = Effect.task {
        Self.use(token)
        return .logTask("late", after: gate)
      }
      store.receive(.concatenate(returns, .log("x")))
    }
    harness.settle()
    #expect(!store.inFlight.isEmpty && watch.token == nil)
    gate.open()
    harness.settle()
    #expect(store.log == ["late", "x"])
  }

  @Test("A store keeps no identifier of what it has reported, or of what a shutdown has cancelled")
  func law20_reportedIdentifiers() async throws {
    final class Name: Hashable, Sendable, CustomStringConvertible {
      let description: String
      init(_ description: String) { self.description = description }
      static func == (left: Name, right: Name) -> Bool { left.description == right.description }
      func hash(into hasher: inout Hasher) { hasher.combine(description) }
    }
    let harness = Harness()
    let (store, other, gate) = (harness.store(), harness.store(), Gate())
    weak var joined: Name?
    weak var bound: Name?
    weak var cancelled: Name?
    func joinInACycle() {
      let (a, b) = (Name("a"), Name("b"))
      joined = a
      store.receive(.concatenate(.logTask("a", after: gate), .join(b)).id(a))
      store.receive(.concatenate(.logTask("b", after: gate), .join(a)).id(b))
    }
    func bindInACycle() {
      let (a, b) = (Name("to"), Name("fro"))
      bound = a
      store.bind(id: a, to: other, on: \.count) { .set(\.count, to: $0 + 1) }
      other.bind(id: b, to: store, on: \.count) { .set(\.count, to: $0 + 1) }
    }
    func sleep() {
      let name = Name("sleep")
      cancelled = name
      store.receive(Effect.sleep(.seconds(100)).id(name))
    }
    joinInACycle()
    harness.settle()
    gate.open()
    harness.settle()
    #expect(store.inFlight.isEmpty && joined == nil)
    bindInACycle()
    store.receive(.cancelAll())
    other.receive(.cancelAll())
    harness.settle()
    #expect(bound == nil)
    sleep()
    let count = try harness.wait { try await store.shutdown(drain: .zero).count }
    harness.settle()
    #expect(count == 1)
    #expect(cancelled == nil)
  }

  @Test("A failed sequence keeps no later member, while an operation has not returned")
  func law20_failedSequence() {
    let harness = Harness()
    let (store, gate) = (harness.store(), Gate())
    let (watch, _) = Self.capture { token in
      store.receive(.sequence(.merge(.logTask("late", after: gate), .fail("x")), .set { _ in Self.use(token) }))
    }
    harness.settle()
    #expect(!store.inFlight.isEmpty && watch.token == nil)
    gate.open()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("An operation that has returned beside a timer does not keep its store alive")
  func law20_storeBesideTimer() {
    let harness = Harness()
    weak var weakStore: JournalStore?
    func begin() {
      let store = harness.store()
      weakStore = store
      store.receive(
        .merge(
          .task { [store] in .log("\(store.log.count)") }, .timer(.seconds(1), id: "t") { _ in .log("tick") }))
      harness.settle()
    }
    begin()
    #expect(weakStore == nil)
  }
}
