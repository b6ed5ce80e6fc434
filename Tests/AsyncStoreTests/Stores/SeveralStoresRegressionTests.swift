import Testing

/// Programs that ``SeveralStoresTests`` has found, shrunk, and some like them.
///
/// | the law, and how it was broken | seed | of 20,000 programs |
/// |---|---|---|
/// | 26: a change is lost that comes inside the tracking's body | 28 | 24 |
/// | 7: a cancel inside a cancel returns before other stores' operations are cancelled | 2630 | 5 |
/// | 7: the same of operations in the same store | 6090 | 2 |
/// | 6: inside a lift, a binding or an instrument, receive returns without its prefix | 896 | 45 |
/// | 23: lifts in lifts end on top of each other | 301 | 148 |
/// | 23: operations that closures hold are freed on top of each other | 331 | 53 |
/// | 16: an element is read again that is gone | 1410 | 52 |
/// | 7: `mapEffect` is called after the end of its binding | 172 | 66 |
/// | 7: a binding that was replaced while it began calls `mapEffect` | 5870, 7228 | 5 |
/// | a wait misses what came between its first look and its registration | 184 | 14 |
///
/// Law 11, the long prefix, takes a second thread: `LongPrefixStressTests`, where all 72 combinations failed.
@Suite("Programs over several stores that once broke a law")
struct SeveralStoresRegressionTests {
  private func expectNoViolation(
    _ steps: ProgramAction..., instrumented: [StoreName] = [], hooks: [ProgramHook] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    let program = StoreProgram(instrumented: instrumented, hooks: hooks, steps: steps)
    #expect(program.violation()?.description == nil, sourceLocation: sourceLocation)
  }

  @Test("A commit inside a tracking's body leaves the property tracked")
  func law26_commitInsideTracking() {
    expectNoViolation(.track(.a, .x, then: [.receive(.a, .set(.x))]), .receive(.a, .set(.x)))
    expectNoViolation(.track(.b, .x, then: [.receive(.a, .lift(.b, .set(.x)))]), .receive(.b, .set(.x)))
  }

  @Test("A read by an observer of the change is not notified of that change")
  func law26_readInsideDelivery() {
    expectNoViolation(
      .track(.b, .x), .receive(.b, .set(.x)),
      hooks: [.init(place: .listener, store: .b, at: 0, then: [.track(.b, .x)])])
  }

  @Test("A cancel inside another's cancellation handler reaches other stores before it returns")
  func law07_cancelInsideCancelAcrossLifts() {
    expectNoViolation(
      .receive(.a, .id(1, .lift(.c, .task(.init(end: .returns(.set(.x))))))),
      .receive(.a, .id(0, .lift(.b, .task(.init(onCancel: [.cancel(.a, 1)]))))), .cancel(.a, 0))
    expectNoViolation(
      .receive(.a, .id(1, .lift(.c, .task(.init(end: .returns(.set(.x))))))),
      .receive(.a, .id(0, .lift(.b, .task(.init(onCancel: [.deactivate(.a)]))))), .cancel(.a, 0))
  }

  @Test("A cancel inside the cancellation handler of a sibling has told all operations when it returns")
  func law07_cancelInsideCancelOfSiblings() {
    expectNoViolation(
      .receive(.b, .task(.init(onCancel: [.deactivate(.b)]))), .receive(.b, .task(.init())), .deactivate(.b))
    expectNoViolation(
      .receive(.a, .id(1, .lift(.b, .merge([.task(.init(onCancel: [.deactivate(.a)])), .task(.init())])))),
      .receive(.a, .id(1, .none)))
    expectNoViolation(
      .receive(.a, .task(.init(onCancel: [.deactivate(.a)]))), .receive(.c, .lift(.a, .task(.init()))), .deactivate(.a))
  }

  @Test("A prefix with a lift is committed when receive returns inside a lift or a delivery")
  func law06_prefixInsideOthers() {
    expectNoViolation(
      .receive(.a, .lift(.b, .cancel(0))), instrumented: [.a],
      hooks: [.init(place: .instrument, store: .a, at: 0, then: [.receive(.b, .lift(.a, .pop))])])
    expectNoViolation(
      .receive(.c, .lift(.a, .set(.y))),
      hooks: [.init(place: .listener, store: .a, at: 0, then: [.receive(.b, .lift(.a, .cancel(1)))])])
  }

  @Test("A long prefix gives the lock up on its way, and is complete when receive returns")
  func law11_longPrefix() {
    expectNoViolation(.receive(.a, .lift(.b, .concatenate([.long, .set(.x)]))), instrumented: StoreName.allCases)
  }

  @Test("A cancelled tree settles though its cleanup has lifted a timer")
  func law21_cleanupLiftsTimer() {
    expectNoViolation(
      .receive(.b, .finally(.set(.x), .concatenate([.sleep(1), .lift(.a, .timer(0, every: 1, .none))]))),
      .cancelHandle(0))
  }

  @Test("Chains of operations that closures hold are freed without stack")
  func law23_chainIsFreed() {
    expectNoViolation(.receive(.a, .deepTasks(400)))
  }

  @Test("Lifts in lifts end without stack")
  func law23_liftsEnd() {
    let lifts = ProgramEffect.deepLift(.a, depth: 300, .timer(0, every: 1, .none))
    expectNoViolation(.receive(.a, lifts), .cancelHandle(0), instrumented: StoreName.allCases)
    expectNoViolation(.receive(.a, lifts), .cancel(.a, 0), instrumented: StoreName.allCases)
    expectNoViolation(.receive(.a, lifts), .deactivate(.b), instrumented: StoreName.allCases)
  }

  @Test("An element that was read is not read again once it is gone")
  func law16_elementIsGone() {
    expectNoViolation(.trackElement(.b, 2), .receive(.a, .lift(.b, .pop)))
    expectNoViolation(.waitForElement(.a, 2), .receive(.a, .pop))
  }

  @Test("`mapEffect` is not called after the end of its binding")
  func law07_bindingsAfterTheirEnd() {
    expectNoViolation(.bind(.init(id: 0, down: .b, up: .b, cell: .x)), .receive(.b, .id(0, .set(.x))))
    expectNoViolation(
      .bind(
        .init(
          id: 2, down: .c, up: .a, cell: .x,
          then: [.bind(.init(id: 1, down: .b, up: .a, cell: .x)), .deactivate(.b)])))
    expectNoViolation(
      .bind(
        .init(
          id: 1, down: .b, up: .b, cell: .x,
          then: [.bind(.init(id: 2, down: .b, up: .a, cell: .y)), .receive(.c, .lift(.b, .cancel(2)))])))
    expectNoViolation(
      .bind(.init(id: 1, down: .a, up: .a, cell: .y)), instrumented: [.a],
      hooks: [.init(place: .instrument, store: .a, at: 0, then: [.receive(.a, .timer(1, every: 1, .none))])])
  }

  @Test("A wait sees what is committed between its first look and its registration as an observer")
  func waitMissesNothing() {
    expectNoViolation(.wait(.a, .x, remainder: 1, then: [.receive(.a, .concatenate([.set(.x), .set(.x)]))]))
  }

  @Test("A prefix is committed although its cancel starts another effect under the same identifier")
  func law06_replacedByConsequence() {
    expectNoViolation(
      .receive(.a, .concatenate([.id(0, .sleep(1)), .timer(0, every: 1, .none)])), .receive(.a, .id(0, .set(.y))))
    // The cancel goes on in another store before the new effect begins.
    expectNoViolation(
      .receive(.a, .concatenate([.id(0, .lift(.c, .sleep(1))), .timer(0, every: 1, .none)])),
      .receive(.a, .id(0, .set(.y))))
  }

  /// The checks once reported these programs, a few in a million.
  @Test("Rare programs that keep the laws are not reported")
  func rareAndRight() {
    // A callback activates the store while the task that has shut it down goes on.
    expectNoViolation(
      .bind(
        .init(id: 2, down: .a, up: .b, cell: .x, then: [.shutdown(.b, drain: 0, cleanup: 1)], effect: .sleep(1))),
      instrumented: [.a], hooks: [.init(place: .instrument, store: .a, at: 3, then: [.activate(.b)])])
    // Undos that end one after the other, each with a wait of its own.
    let members: [ProgramEffect] = [.task(.init(end: .returns(.task(.init())))), .none, .task(.init())]
    expectNoViolation(
      .receive(
        .c, .sequence([.sequence(members, undo: .task(.init())), .none, .task(.init(end: .fails))], undo: .sleep(2))))
    // A cleanup that comes back to its own store by way of another one is cancelled there with what it is beside.
    expectNoViolation(
      .bind(.init(id: 0, down: .a, up: .b, cell: .y)),
      .receive(.a, .finally(.set(.y), .lift(.b, .lift(.a, .task(.init()))))),
      hooks: [.init(place: .listener, store: .a, at: 1, then: [.shutdown(.a, drain: 0, cleanup: 1)])])
    // An effect of nothing replaces another one, unseen, before that has begun.
    expectNoViolation(
      .receive(.a, .id(0, .task(.init(onCancel: [.receive(.a, .id(0, .none, policy: .replaceAfterCleanup))])))),
      .receive(.a, .id(0, .lift(.a, .cancel(0)))))
    // A cleanup is the first that is seen of a scope which was replaced before.
    let onCancel = ProgramAction.receive(.a, .lift(.b, .id(0, .task(.init()))))
    expectNoViolation(
      .receive(
        .b,
        .timer(
          1, every: 1, .id(0, .finally(.task(.init(onCancel: [onCancel])), .task(.init(waits: false)))))),
      .advance(4))
  }
}
