import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Laws of cancellation, under every schedule of small programs", .explored(.exhaustive(limit: 500_000)))
struct ExploredCancellationLawTests {
  private let simulation = Simulation.current!

  /// An operation that ignores its cancellation, with suspensions before its result.
  private func stubborn(_ line: String, suspensions: Int = 1) -> JournalStore.Effect {
    .task {
      for _ in 0..<suspensions { await switchPoint() }
      return .log(line)
    }
  }

  @Test("A cancel is a barrier, even if the operation returns at that very moment")
  func law07_cancelIsABarrier() async {
    let store = simulation.store(Journal(), env: ())
    store.receive(.concatenate(stubborn("a"), .logTask("b")).id("job"))
    store.receive(.logTask("other"))
    let atCancel = await Task {
      store.receive(.cancel("job"))
      return store.log.filter { $0 != "other" }
    }.value
    await simulation.settle()
    #expect(store.log.filter { $0 != "other" } == atCancel)
    #expect(["a", "b"].starts(with: atCancel))
    #expect(store.log.contains("other"))
  }

  @Test("A handle's cancel is a barrier, for what an operation returns as well")
  func law07_handleIsABarrier() async {
    let store = simulation.store(Journal(), env: ())
    let handle = store.receive(
      .task {
        await switchPoint()
        return .concatenate(.log("first"), .logTask("second"))
      })
    let atCancel = await Task {
      await switchPoint()
      handle.cancel()
      return store.log
    }.value
    let outcome = await handle.outcome
    #expect(store.log == atCancel)
    #expect(outcome.isFinished == (atCancel.count == 2))
  }

  @Test("The effect of a tick does not run under the effects that have taken its timer's place")
  func law07_placeOfATimer() async {
    let store = simulation.store(Journal(), env: ())
    store.receive(
      .timer(.seconds(1), id: "timer") { [weak store] _ in
        store?.receive(.cancel("timer"))
        for number in 1...3 { store?.receive(.sleep(.seconds(10)).id("heir \(number)")) }
        return .logTask("late")
      })
    store.receive(.concatenate(.sleep(.seconds(1)), .logTask("other")))
    await simulation.clock.advance(by: .seconds(20))
    #expect(store.log == ["other"])
  }

  @Test("The effect of an error does not run under the effects that have taken the failed one's place")
  func law07_placeOfAFailure() async {
    let mapped = Note<[String]>()
    let store = simulation.store(Journal(), env: ())
    store.receive(
      .task { throw Failure("no") }.recover { [weak store] _ in
        store?.receive(.cancel("job"))
        for number in 1...3 { store?.receive(.sleep(.seconds(10)).id("heir \(number)")) }
        mapped.add("late")
        return .logTask("late")
      }.id("job"))
    store.receive(.logTask("other"))
    await simulation.clock.advance(by: .seconds(20))
    #expect(mapped.value == ["late"])
    #expect(store.log == ["other"])
  }

  @Test("A cancel reaches everything under the identifier, and nothing outside")
  func law08_cancelReachesEverything() async {
    let store = simulation.store(Journal(), env: ())
    let sawCancel = Note(false)
    store.receive(
      .concatenate(
        .merge(
          .task {
            await withTaskCancellationHandler {
              await switchPoint()
            } onCancel: {
              sawCancel.value = true
            }
            return .log("operation")
          },
          .concatenate(.sleep(.seconds(1)), .log("sleep")),
          .timer(.seconds(1), id: "timer") { _ in .log("tick") }
        ).id("job"),
        .log("next")))
    let atCancel = await Task {
      await switchPoint()
      store.receive(.cancel("job"))
      return store.log
    }.value
    await simulation.clock.advance(by: .seconds(3))
    #expect(store.log.count { $0 == "next" } == 1, "the sequence goes on")
    #expect(!store.log.contains("sleep") && !store.log.contains("tick"))
    #expect(atCancel.contains("operation") || !store.log.contains("operation"))
  }

  @Test("A cancel before the first instruction has run keeps the operation from running")
  func law08_beforeTheFirstInstruction() async {
    let store = simulation.store(Journal(), env: ())
    let isCancelled = Note(false)
    let ranAfterCancel = Note(false)
    store.receive(
      .task(id: "job") {
        ranAfterCancel.value = isCancelled.value
        return .none
      })
    await Task {
      store.receive(.cancel("job"))
      isCancelled.value = true
    }.value
    await simulation.settle()
    #expect(!ranAfterCancel.value)
  }

  @Test("Cancelling twice is cancelling once, and cancelling an unknown or finished identifier does nothing")
  func law09_cancelIsIdempotent() async {
    let cancels = Note(0)
    let counter = CancelCounter(count: cancels)
    let store = simulation.store(Journal(), env: (), instrument: counter)
    store.receive(stubborn("a").id("job"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          store.receive(.cancel("job"))
          store.receive(.cancel("unknown"))
        }
      }
    }
    await simulation.settle()
    #expect(cancels.value <= 1)
    #expect(store.log == (cancels.value == 0 ? ["a"] : []))
  }

  @Test("The last of several effects under one identifier in one merge stays")
  func law10_sameIdInAMerge() async {
    let store = simulation.store(Journal(), env: ())
    await store.run(.merge(stubborn("a").id("job"), stubborn("b").id("job"), stubborn("c").id("job")))
    await simulation.settle()
    #expect(store.log == ["c"])
  }

  @Test("A start replaces the effect in flight, with a barrier")
  func law10_replace() async {
    let store = simulation.store(Journal(), env: ())
    let starts = Note<[String]>()
    await withTaskGroup(of: Void.self) { group in
      for name in ["a", "b"] {
        group.addTask {
          starts.add(name)
          store.receive(stubborn(name).id("job"))
          #expect(store.log.allSatisfy { starts.value.firstIndex(of: $0)! < starts.value.firstIndex(of: name)! })
        }
      }
    }
    await simulation.settle()
    // The last one always commits. The first one commits before it or not at all.
    #expect(store.log.last == starts.value.last)
    #expect(store.log == starts.value || store.log == [starts.value[1]])
  }

  @Test("The policy `keepFirst` drops the effects that come while the first is in flight")
  func law10_keepFirst() async {
    let store = simulation.store(Journal(), env: ())
    let occupancy = Occupancy()
    await withTaskGroup(of: Void.self) { group in
      for name in ["a", "b"] {
        group.addTask {
          let outcome = await store.run(occupancy.operation(name).id("job", .keepFirst))
          if case .dropped = outcome { #expect(!store.log.contains(name)) } else { #expect(store.log.contains(name)) }
        }
      }
    }
    #expect(occupancy.most == 1)
  }

  @Test("A queue runs one effect at a time, first in, first out")
  func law10_queue() async {
    let store = simulation.store(Journal(), env: ())
    let occupancy = Occupancy()
    let order = Note<[String]>()
    await withTaskGroup(of: Void.self) { group in
      for name in ["a", "b"] {
        group.addTask {
          order.add(name)
          store.receive(occupancy.operation(name).id("job", .queue()))
        }
      }
    }
    await simulation.settle()
    #expect(store.log == order.value)
    #expect(occupancy.most == 1)
  }

  @Test("A limit of two lets at most two effects run at once")
  func law10_atMost() async {
    let store = simulation.store(Journal(), env: ())
    let occupancy = Occupancy()
    store.receive(.merge(effects: ["a", "b", "c"].map { occupancy.operation($0).id("job", .atMost(2)) }))
    await simulation.settle()
    #expect(store.log.sorted() == ["a", "b", "c"])
    #expect(occupancy.most <= 2)
  }

  @Test("An effect that replaces after cleanup begins when the one before has returned")
  func law10_replaceAfterCleanup() async {
    let store = simulation.store(Journal(), env: ())
    let running = Note(0)
    let operation: @Sendable (String) -> JournalStore.Effect = { name in
      .task {
        #expect(running.value == 0)
        running.value += 1
        await switchPoint()
        running.value -= 1
        return .log(name)
      }.id("job", .replaceAfterCleanup)
    }
    store.receive(operation("a"))
    await Task { _ = store.receive(operation("b")) }.value
    await simulation.settle()
    #expect(store.log.last == "b")
  }

  @Test("Nothing in flight delays a receive, a cancel or a deactivate")
  func law11_nothingIsDelayed() async {
    let store = simulation.store(Journal(), env: ())
    store.receive(
      .task(id: "long") {
        try await simulation.clock.hang(); return .none
      })
    store.receive(.concatenate(.sleep(.seconds(3_600)), .log("late")).id("sleeping"))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        store.receive(.log("at once"))
        #expect(store.log == ["at once"])
      }
      group.addTask {
        store.receive(.cancel("long"))
        #expect(!store.inFlight.contains { $0.identifier == "long" && !$0.isCancelled })
      }
    }
    store.deactivate()
    #expect(store.inFlight.allSatisfy { $0.isCancelled })
    #expect(simulation.clock.now.offset == .zero)
  }
}

/// Counts the operations that are inside at the same time.
private final class Occupancy: Sendable {
  private let counts = Note((now: 0, most: 0))

  var most: Int { counts.value.most }

  /// An operation that suspends, and writes a line.
  func operation(_ line: String) -> JournalStore.Effect {
    .task {
      self.counts.change { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      await switchPoint()
      self.counts.change { $0.now -= 1 }
      return .log(line)
    }
  }
}

private struct CancelCounter: StoreInstrument {
  let count: Note<Int>

  func record(_ event: InstrumentEvent) {
    if case .cancelled = event.kind { count.change { $0 += 1 } }
  }
}
