import Testing

@testable import AsyncStore

@Suite("Laws 7 to 11: cancellation")
struct CancellationLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 7

  @Test("After a cancel nothing commits, though the operation ignores its cancellation")
  func law07_cancelIsABarrier() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.concatenate(.logTask("never", after: gate), .log("never")).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("After a cancel nothing commits, though the operation has computed its result already")
  func law07_computedResultIsDropped() {
    let store = harness.store()
    let gate = Gate()
    store.receive(
      .task(id: "a") {
        let result = "never"
        await gate.wait()
        return .log(result)
      })
    harness.settle()
    gate.open()
    // The operation's continuation is queued; it has not come back yet.
    #expect(harness.runnableCount == 1)
    store.receive(.cancel("a"))
    harness.settle()
    #expect(store.log == [])
  }

  @Test("An operation that cancels itself just before it returns has its result dropped")
  func law07_cancelWhileReturning() {
    let store = harness.store()
    store.receive(
      .task(id: "a") { [weak store] in
        store?.receive(.cancel("a"))
        return .log("never")
      })
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A cancel inside a tree is a barrier for the effects beside it")
  func law07_cancelInsideATree() {
    let store = harness.store()
    let gate = Gate()
    store.receive(
      .merge(
        .logTask("never", after: gate).id("a"),
        .concatenate(
          .task { .none }, .cancel("a"), .log("passed"),
          .task {
            gate.open(); return .none
          })))
    harness.settle()
    #expect(store.log == ["passed"])
    #expect(store.remains == [])
  }

  @Test("The barrier of a cancel holds for commits that were queued behind a sleep of the same moment")
  func law07_barrierAtEqualDeadlines() {
    let store = harness.store()
    store.receive(.concatenate(.sleep(.seconds(1)), .cancel("a"), .log("cancelled")))
    store.receive(.concatenate(.sleep(.seconds(1)), .log("never")).id("a"))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["cancelled"])
  }

  @Test("A cancel from a mapped tick stops the ticks that are already due")
  func law07_cancelFromAHandlerOfTheSameMoment() {
    let store = harness.store()
    store.receive(.timer(.seconds(1), id: "first") { _ in .merge(.log("tick"), .cancel("second"), .cancel("first")) })
    store.receive(.timer(.seconds(1), id: "second") { _ in .log("never") })
    harness.advance(by: .seconds(3))
    #expect(store.log == ["tick"])
    #expect(store.remains == [])
  }

  // MARK: Law 8

  @Test("A running operation sees its cancellation")
  func law08_operationSeesItsCancellation() {
    let store = harness.store()
    let (gate, seen) = (Gate(), Note<[Bool]>([]))
    store.receive(
      .task(id: "a") {
        await gate.wait()
        seen.change { $0.append(Task.isCancelled) }
        return .none
      })
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.settle()
    #expect(seen.value == [true])
  }

  @Test("A cancel ends sleeps, timers, streams and bindings at once")
  func law08_everythingUnderTheIdentifierEnds() {
    let (store, up) = (harness.store(), harness.store())
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let ended = Note(false)
    continuation.onTermination = { _ in ended.value = true }
    store.receive(
      .merge(
        .concatenate(.sleep(.seconds(1)), .log("never")), .timer(.seconds(1), id: "t") { _ in .log("never") },
        .stream(stream) { _ in .log("never") }, .fail("x").retry(.constant(.seconds(1))),
        .concatenate(.sleep(.seconds(1)), .log("never")).timeout(.seconds(2), else: .log("never"))
      ).id("a"))
    store.bind(id: EffectID("a").appending("binding"), to: up, on: \.count) { _ in .sleep(.seconds(1)) }
    harness.settle()
    store.receive(.cancel(prefix: "a"))
    harness.settle()
    #expect(ended.value)
    continuation.yield(1)
    up.receive(.set(\.count, to: 1))
    harness.advance(by: .seconds(10))
    #expect(store.log == [])
    #expect(store.remains == [])
    #expect(harness.sleeperCount == 0)
  }

  @Test("Members of a concatenate that have not begun never begin")
  func law08_laterMembersNeverBegin() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.concatenate(.log("1"), .logTask("2", after: gate), .logTask("3"), .log("4")).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.settle()
    #expect(store.log == ["1"])
  }

  @Test("Members of a queue that have not begun never begin")
  func law08_queuedMembersNeverBegin() {
    let store = harness.store()
    let gate = Gate()
    let handles = (1...3).map { store.receive(.logTask("\($0)", after: gate).id("q", .queue())) }
    harness.settle()
    #expect(gate.arrivals == 1)
    store.receive(.cancel("q"))
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(gate.arrivals == 1)
    #expect(handles.map { $0.outcomeIfSettled?.word } == ["cancelled", "cancelled", "cancelled"])
    #expect(store.remains == [])
  }

  @Test("A cancel before the operation's first instruction means that it never runs")
  func law08_cancelBeforeTheFirstInstruction() {
    let store = harness.store()
    let ran = Note(false)
    let handle = store.receive(
      .task(id: "a") {
        ran.value = true
        return .log("never")
      })
    store.receive(.cancel("a"))
    harness.settle()
    #expect(!ran.value)
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(store.remains == [])
  }

  @Test("A cancel in the same tree before the operation has been started means that it never runs")
  func law08_cancelInTheSamePass() {
    let store = harness.store()
    let ran = Note(false)
    store.receive(
      .merge(
        .task(id: "a") {
          ran.value = true
          return .log("never")
        }, .cancel("a"), .log("b")))
    harness.settle()
    #expect(!ran.value)
    #expect(store.log == ["b"])
    #expect(store.remains == [])
  }

  @Test("A stream cancelled before it is first asked emits nothing")
  func law08_cancelBeforeAStreamBegins() {
    let store = harness.store()
    let stream = AsyncStream { continuation in
      continuation.yield(1)
      continuation.finish()
    }
    store.bind(id: "s", stream: stream) { .log($0) }
    store.receive(.cancel("s"))
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("A concatenate around a cancelled member continues with the next one")
  func law08_concatenateGoesOn() {
    let store = harness.store()
    let gate = Gate()
    let handle = store.receive(.concatenate(.logTask("never", after: gate).id("a"), .log("next")))
    harness.settle()
    store.receive(.cancel("a"))
    #expect(store.log == [], "the operation has not returned, and the concatenate waits for it")
    gate.open()
    harness.settle()
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A concatenate around a cancelled sleep continues at once")
  func law08_concatenateGoesOnAfterASleep() {
    let store = harness.store()
    store.receive(.concatenate(.concatenate(.sleep(.seconds(9)), .log("never")).id("a"), .log("next")))
    store.receive(.cancel("a"))
    #expect(store.log == ["next"])
  }

  @Test("A cancel lets siblings, parents and joiners of the cancelled effect continue")
  func law08_nothingOutsideIsTouched() {
    let store = harness.store()
    let gate = Gate()
    let handle = store.receive(
      .merge(
        .logTask("never", after: gate).id(EffectID("p").appending("a")),
        .concatenate(.join(EffectID("p").appending("a")), .log("joined")),
        .concatenate(.sleep(.seconds(1)), .log("sibling")).id(EffectID("p").appending("b"))
      ).id("p"))
    harness.settle()
    store.receive(.cancel(EffectID("p").appending("a")))
    harness.settle()
    #expect(store.log == [], "the joiner waits for the cleanup too")
    gate.open()
    harness.settle()
    #expect(store.log == ["joined"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["joined", "sibling"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A cancel reaches several identifiers, a prefix or all identifiers")
  func law08_selections() {
    let store = harness.store()
    func begin() {
      for page in 1...3 { store.receive(.sleep(.seconds(9)).id(EffectID("feed").appending(page))) }
      store.receive(.sleep(.seconds(9)).id("other"))
      store.receive(.sleep(.seconds(9)).id("feed"))
      store.receive(.sleep(.seconds(9)))
    }
    func names() -> [String] { store.inFlight.compactMap(\.identifier?.description) }
    begin()
    store.receive(.cancel(ids: ["other", "feed"]))
    #expect(names() == ["feed/1", "feed/2", "feed/3"])
    begin()
    store.receive(.cancel(prefix: "feed"))
    #expect(names() == ["other"])
    begin()
    store.receive(.cancelAll())
    #expect(names() == [])
    #expect(store.inFlight.count == 3, "what has no identifier goes on")
  }

  // MARK: Law 9

  @Test("Cancelling an unknown or a finished identifier does nothing, and twice is once")
  func law09_cancelOfNothing() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    #expect(store.receive(.cancel("unknown")).outcomeIfSettled?.word == "finished")
    store.receive(.logTask("1").id("a"))
    harness.settle()
    recorder.clear()
    store.receive(.concatenate(.cancel("a"), .cancel("a"), .log("2")))
    #expect(store.log == ["1", "2"])
    #expect(recorder.lines == ["committed set"])
    let gate = Gate()
    store.receive(.logTask("never", after: gate).id("a"))
    harness.settle()
    recorder.clear()
    store.receive(.cancel("a"))
    store.receive(.cancel("a"))
    #expect(recorder.lines == ["cancelled [a] task"])
    gate.open()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("An identifier is local to its store")
  func law09_identifiersAreLocal() {
    let (one, two) = (harness.store(), harness.store())
    for store in [one, two] { store.receive(.concatenate(.sleep(.seconds(1)), .log("done")).id("a")) }
    one.receive(.cancel("a"))
    harness.advance(by: .seconds(1))
    #expect(one.log == [])
    #expect(two.log == ["done"])
  }

  // MARK: Law 11

  @Test("No effect, however long, delays a later receive, cancel or deactivate")
  func law11_nothingQueuesBehindALongEffect() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.concatenate(.sleep(.seconds(1_000_000)), .log("never")))
    store.receive(.logTask("never", after: gate).id("long"))
    harness.settle()
    store.receive(.log("1"))
    #expect(store.log == ["1"])
    store.receive(.logTask("2"))
    harness.settle()
    #expect(store.log == ["1", "2"])
    let cancelled = store.receive(.sleep(.seconds(5)).id("a"))
    store.receive(.cancel("a"))
    #expect(cancelled.outcomeIfSettled?.word == "cancelled")
    store.deactivate()
    #expect(!store.isActive)
    #expect(store.inFlight.count == 1, "only the operation that ignores its cancellation")
    gate.open()
    harness.settle()
    #expect(store.log == ["1", "2"])
    #expect(store.remains == [])
  }

  @Test("A cancel goes past everything that is in a queue")
  func law11_cancelDoesNotQueue() {
    let store = harness.store()
    let gate = Gate()
    for _ in 1...3 { store.receive(.logTask("x", after: gate).id("q", .queue())) }
    harness.settle()
    store.receive(.concatenate(.cancel("q"), .log("passed")))
    #expect(store.log == ["passed"])
    gate.open()
    harness.settle()
    #expect(store.log == ["passed"])
  }

  @Test("The finally of a replaced effect comes before the new effect")
  func law10_cleanupComesBeforeTheNewOne() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60))).finally(.log("end")).id("edit")
    store.receive(edit)
    store.receive(edit)
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("The cleanup of a replaced effect waits for its running operation, and the new effect does not")
  func law10_cleanupComesAfterARunningOperation() {
    let store = harness.store()
    let gate = Gate()
    let operation = Effect.task {
      await gate.wait()
      return .log("too late")
    }
    store.receive(operation.finally(.log("end")).id("edit"))
    harness.settle()
    store.receive(.log("begin").id("edit"))
    #expect(store.log == ["begin"])
    gate.open()
    harness.settle()
    #expect(store.log == ["begin", "end"])
    #expect(store.remains == [])
  }

  @Test("Replace after cleanup waits for a finally")
  func law10_replaceAfterCleanupWaitsForFinally() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60)))
      .finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("edit", .replaceAfterCleanup)
    store.receive(edit)
    store.receive(edit)
    harness.advance(by: .seconds(2))
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("A join waits for the finally of a cancelled effect")
  func law08_joinWaitsForFinally() {
    let store = harness.store()
    store.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("x"))
    store.receive(.cancel("x"))
    store.receive(.concatenate(.join("x"), .log("joined")))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["end", "joined"])
  }

  @Test("At most one operation runs, also after a cancel")
  func law10_atMostCountsCancelledOnesThatRun() {
    let store = harness.store()
    let gate = Gate()
    let running = Note(0)
    let most = Note(0)
    let operation = Effect.task {
      running.change { $0 += 1 }
      most.value = max(most.value, running.value)
      await gate.wait()
      running.change { $0 -= 1 }
      return .none
    }
    let handle = store.receive(operation.id("x", .atMost(1)))
    store.receive(operation.id("x", .atMost(1)))
    harness.settle()
    handle.cancel()
    harness.settle()
    #expect(most.value == 1)
    gate.open()
    harness.settle()
  }

  @Test("A join that was cancelled leaves nothing")
  func law08_cancelledJoinLeavesNothing() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1_000_000)).id("server"))
    for _ in 0..<1000 {
      store.receive(.join("server")).cancel()
    }
    #expect(
      store.runtime.lock { core in
        core.machine.registry.places.allSatisfy { core.machine.registry[$0].joiners.isEmpty }
      })
  }

  @Test("A cleanup may join, queue and restart under the identifier that it cleans up after")
  func law08_cleanupUnderItsOwnIdentifier() {
    let store = harness.store()
    let policies: [IdentifierPolicy] = [.atMost(1), .replaceAfterCleanup]
    for policy in policies {
      let cleanup = Effect.concatenate(.join("x"), .log("again").id("x", policy), .log("end"))
      store.receive(.sleep(.seconds(9)).finally(cleanup).id("x", policy))
      store.receive(.cancel("x"))
    }
    #expect(store.log == ["again", "end", "again", "end"])
    #expect(store.remains == [])
  }

  @Test("In a tree too, what a cancel leaves behind begins before what follows the cancel")
  func law08_cleanupComesBeforeWhatFollowsTheCancel() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).finally(.log("end")).id("x"))
    store.receive(.concatenate(.cancel("x"), .log("next")))
    #expect(store.log == ["end", "next"])
  }

  @Test("With keep-first, a cancelled effect that has not returned still counts as the first")
  func law10_keepFirstKeepsOneThatCleansUp() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("never", after: gate).id("x"))
    harness.settle()
    store.receive(.cancel("x"))
    #expect(store.receive(.log("second").id("x", .keepFirst)).outcomeIfSettled?.word == "dropped")
    gate.open()
    harness.settle()
    #expect(store.receive(.log("third").id("x", .keepFirst)).outcomeIfSettled?.word == "finished")
    #expect(store.log == ["third"])
  }
}
