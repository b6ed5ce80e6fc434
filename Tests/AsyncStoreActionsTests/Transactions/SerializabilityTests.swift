import AsyncStoreActions
import AsyncStoreTesting
import Testing

/// Two balances, and the people on call.
private struct Bank: Sendable, Equatable {
  var a = 100
  var b = 100
  var onCall = ["Ada", "Bob"]
  var pause = 0
}

private typealias BankStore = AsyncStore<Bank, Void>
private typealias Step = StateTransaction<Bank, Void>

/// Reads both balances, waits, and writes them.
private func move(_ amount: Int) -> Step {
  Step("move") { draft in
    let (a, b) = (draft.a, draft.b)
    await switchPoint()
    try draft.change { $0.a = a - amount }
    await switchPoint()
    try draft.change { $0.b = b + amount }
  }
}

/// Takes a person off call if somebody else stays on call.
private func leave(_ name: String) -> Step {
  Step("\(name) leaves") { draft in
    let others = draft.onCall.filter { $0 != name }
    await switchPoint()
    guard !others.isEmpty else { throw Failure() }
    try draft.change { $0.onCall.removeAll { $0 == name } }
  }
}

@Suite("Transactions beside each other")
struct SerializabilityTests {
  @Test("Concurrent moves between accounts are serializable under every schedule")
  func moves() async throws {
    try await explore(.seeds(2_000)) { simulation in
      let store = simulation.store(Bank(), env: ())
      let runs = [1, 10, -30].map { store.begin(move($0)) }
      for run in runs { #expect("\(await run.outcome)" == "completed") }
      #expect(store.state == Bank(a: 119, b: 81))
    }
  }

  @Test("Concurrent transactions have no write skew under any schedule")
  func writeSkew() async throws {
    try await explore(.seeds(2_000)) { simulation in
      let store = simulation.store(Bank(), env: ())
      let runs = ["Ada", "Bob"].map { store.begin(leave($0)) }
      var ends: Set<String> = []
      for run in runs { ends.insert("\(await run.outcome)") }
      #expect(ends == ["completed", "failed: Failure()"])
      #expect(store.onCall.count == 1)
    }
  }

  @Test("A transaction never acts on a change that failed on its draft and would succeed on the state")
  func failedChange() async throws {
    try await explore(.seeds(2_000)) { simulation in
      let store = simulation.store(Bank(a: 0), env: ())
      let pay = Step("pay") { draft in
        do {
          try draft.change { bank in
            guard bank.a >= 10 else { throw Failure() }
            bank.a -= 10
          }
        } catch {
          await switchPoint()
          try draft.change { bank in bank.b -= 10 }
        }
      }
      let deposit = Step("deposit") { draft in
        await switchPoint()
        try draft.change { $0.a += 10 }
        if draft.b < 100 { try draft.change { $0.pause = 1 } }
      }
      let runs = [store.begin(pay), store.begin(deposit)]
      for run in runs { #expect("\(await run.outcome)" == "completed") }
      // The result of one run after the other: `pay` takes from the first account after the deposit, and from the
      // second one before it.
      #expect([Bank(a: 0, b: 100), Bank(a: 10, b: 90, pause: 1)].contains(store.state), "\(store.state)")
    }
  }

  /// Errors with a value: one that can be compared, and one that is only printed.
  private struct Sum: Error, Equatable { let value: Int }
  private struct PrintedSum: Error { let value: Int }

  @Test("A value that reaches a transaction in an error is compared like one that it reads", arguments: [true, false])
  func valuesInErrors(isEquatable: Bool) async {
    let store = BankStore(state: Bank(), env: ())
    let attempts = Note(0)
    let note = Step("note") { draft in
      attempts.change { $0 += 1 }
      var sum = 0
      do {
        try draft.change { bank in
          let sum = bank.a + bank.b
          throw isEquatable ? Sum(value: sum) as any Error : PrintedSum(value: sum)
        }
      } catch {
        sum = (error as? Sum)?.value ?? (error as? PrintedSum)?.value ?? 0
      }
      if draft.attempt == 1 { store.receive(.set { $0.a += 10 }) }
      // The sum stays the same, and with it the error.
      if draft.attempt == 2 {
        store.receive(
          .set {
            $0.a += 5
            $0.b -= 5
          })
      }
      let pause = sum
      try draft.change { $0.pause = pause }
    }
    #expect("\(await store.begin(note).outcome)" == "completed")
    #expect(store.pause == 210 && store.a == 115 && attempts.value == 2)
  }

  @Test("A transaction conflicts only over properties that it has read, and not over its changes alone")
  func noConflict() async {
    let store = BankStore(state: Bank(), env: ())
    let attempts = Note(0)
    let gate = Gate()
    let run = store.begin(
      Step("earn") { draft in
        attempts.change { $0 += 1 }
        #expect(draft.b == 100)
        try draft.change { $0.a += 1 }
        await gate.pass()
        try draft.change { $0.a *= 2 }
      })
    await gate.arrival()
    store.receive(.set(\.a, to: 10))
    gate.open()
    #expect("\(await run.outcome)" == "completed")
    #expect(attempts.value == 1)
    #expect(store.a == 22)
  }

  @Test("A transaction conflicts if the property that it reads again depends on one that others have changed")
  func readAgain() async {
    let store = BoardStore()
    let run = store.begin(
      StateTransaction("late") { [store] draft in
        _ = draft.total
        try draft.change { $0.total += $0.lines.count }
        let total = draft.total
        if draft.attempt == 1 { store.send(.log("meanwhile")) }
        try draft.change { $0.left.count = total }
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.total == 1 && store.left.count == 1)
  }

  @Test("A transaction that may not be run again fails on a conflict, and says so")
  func notAgain() async {
    let store = BankStore(state: Bank(), env: ())
    let gate = Gate()
    let run = store.begin(
      Step("charge", attemptLimit: 1) { draft in
        let a = draft.a
        #expect(draft.attempt == 1)
        await gate.pass()
        try draft.change { $0.b = a }
      })
    await gate.arrival()
    store.receive(.set(\.a, to: 10))
    gate.open()
    guard case .failed(let error as TransactionError) = await run.outcome else { return #expect(Bool(false)) }
    #expect(error.code == .conflict)
    #expect(
      error.description
        == "Others have changed what charge had read, and it is not to be run again. Nothing of it was committed.")
    #expect(store.b == 100)
  }

  @Test("A transaction gives up after its maximum number of attempts, and says how many")
  func givingUp() async {
    let store = BankStore(state: Bank(), env: ())
    let attempts = Note<[Int]>([])
    let run = store.begin(
      Step("unlucky", attemptLimit: 3) { draft in
        let pause = draft.pause
        attempts.change { $0.append(draft.attempt) }
        store.receive(.set { $0.pause += 1 })
        try draft.change { $0.a = pause }
      })
    guard case .failed(let error as TransactionError) = await run.outcome else { return #expect(Bool(false)) }
    #expect(error.code == .conflict)
    #expect(error.description.contains("each of the 3 times"))
    #expect(attempts.value == [1, 2, 3])
    #expect(store.state == Bank(pause: 3))
  }

  @Test("A transaction that only reads completes whatever has changed meanwhile, and commits nothing")
  func readOnly() async {
    let store = BankStore(state: Bank(), env: ())
    let gate = Gate()
    let run = store.begin(
      Step("look", attemptLimit: 1) { draft in
        let sum = draft.a + draft.b
        await gate.pass()
        #expect(sum == draft.read { $0.a + $0.b })
      })
    await gate.arrival()
    store.receive(.set(\.a, to: 10))
    gate.open()
    #expect("\(await run.outcome)" == "completed")
  }

  @Test("A transaction never applies a key path that may trap to another state")
  func keyPathsThatMayTrap() async {
    let store = AsyncStore(state: [1, 2], env: ())
    let gate = Gate()
    let run = store.begin(
      StateTransaction<[Int], Void>("second") { draft in
        guard draft.attempt == 1 else { return }
        let second = draft[1]
        await gate.pass()
        try draft.change { $0.append(second) }
      })
    await gate.arrival()
    store.receive(.set { $0.removeAll() })
    gate.open()
    #expect("\(await run.outcome)" == "completed")
    #expect(store.state.isEmpty)
  }

  @Test("A transaction sees on its draft what middleware makes of the actions it sends")
  func middleware() async {
    let store = BoardStore(
      state: Board(), env: Service(),
      middleware: [
        Middleware { _, action in
          switch action {
          case .keep: nil
          case .add(let number): .add(number * 2)
          default: action
          }
        }
      ])
    let run = store.begin(
      StateTransaction<Board, Service>("sends", attemptLimit: 1) { draft in
        draft.send(.add(2))
        draft.send(.keep)
        #expect(draft.total == 4)
        draft.send(.log("\(draft.total)"))
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.state == Board(total: 4, lines: ["4"]))
  }

  @Test("A slow transaction completes despite frequent commits that conflict with its attempts")
  func slowBesideQuick() async throws {
    try await simulate(seed: 1) { simulation in
      let store = simulation.store(Bank(), env: ())
      let slow = store.begin(
        Step("slow") { draft in
          let a = draft.a
          for _ in 0..<50 { await switchPoint() }
          try draft.change { $0.b = a }
        })
      let quick = Task {
        for _ in 0..<60_000 {
          store.receive(.set { $0.a += 1 })
          await switchPoint()
        }
      }
      #expect("\(await slow.outcome)" == "completed")
      await quick.value
      #expect(store.state.b == 60_100)
    }
  }

  @Test(
    "A transaction pauses after ten conflicts, and can be cancelled or stopped during the pause",
    arguments: [true, false])
  func cancelledPause(isCancelled: Bool) async throws {
    try await simulate(seed: 1) { simulation in
      let store = simulation.store(Bank(), env: ())
      let attempts = Note(0)
      let run = store.begin(
        Step("in its own way") { draft in
          attempts.change { $0 += 1 }
          let a = draft.a
          store.receive(.set { $0.a += 1 })
          try draft.change { $0.b = a }
        })
      await simulation.settle()
      #expect(attempts.value == 10)
      await simulation.clock.advance(by: .microseconds(100))
      await simulation.settle()
      #expect(attempts.value == 11)
      await simulation.clock.advance(by: .microseconds(199))
      await simulation.settle()
      #expect(attempts.value == 11)
      if isCancelled { run.cancel() } else { store.deactivate() }
      #expect("\(await run.outcome)" == "cancelled")
      #expect(store.state.b == 100)
      #expect(store.inFlight.isEmpty)
    }
  }

  @Test("Concurrent transactions lose none of 1,600 moves on real threads")
  func movesOnThreads() async {
    let store = BankStore(state: Bank(), env: ())
    await withDiscardingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          for _ in 0..<100 {
            let status = await store.begin(move(number % 2 == 0 ? 3 : -2)).outcome
            #expect("\(status)" == "completed")
          }
        }
      }
    }
    #expect(store.state == Bank(a: 100 - 800, b: 100 + 800))
  }

  @Test("Concurrent transactions have no write skew on real threads")
  func writeSkewOnThreads() async {
    for _ in 0..<200 {
      let store = BankStore(state: Bank(), env: ())
      async let ada = store.begin(leave("Ada")).outcome
      async let bob = store.begin(leave("Bob")).outcome
      _ = await (ada, bob)
      #expect(store.onCall.count == 1)
    }
  }
}
