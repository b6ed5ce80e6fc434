import AsyncStoreActions

/// The tally as a model.
struct TallyModel: Model {
  enum Action: Sendable { case add(Int) }
  var count = 0

  static func update(_ state: inout TallyModel, _ action: Action) -> Effect {
    switch action {
    case .add(let number): state.count += number
    }
    return .none
  }
}

/// A1: an action, again and again, from one thread.
struct SentActions: Workload {
  let name = "A1"
  let title = "send(.add(n))"
  let counterpart = "receive(.set { $0.count += n }) on the same store"
  let metrics = [Metric(bar: 1.3)]
  let barSize = 1_000_000

  func ours(_ size: Int) throws -> [Double] {
    let store = StoreOf<TallyModel>(state: TallyModel(), env: ())
    let watch = Stopwatch()
    for number in 1...size { store.send(.add(number)) }
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size * (size + 1) / 2)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let store = StoreOf<TallyModel>(state: TallyModel(), env: ())
    let watch = Stopwatch()
    for number in 1...size { store.receive(.set { $0.count += number }) }
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size * (size + 1) / 2)
    return [time]
  }
}

/// A2: actions that are logged, and the log replayed and checked.
struct LoggedActions: Workload {
  let name = "A2"
  let title = "send(.add(n)) with a log; then replay()"
  let counterpart = "a list of the actions behind the mutex; then a loop over it"
  let metrics = [Metric(name: "log"), Metric(name: "replay")]
  let barSize = 1_000_000

  func ours(_ size: Int) throws -> [Double] {
    let store = StoreOf<TallyModel>(state: TallyModel(), env: ())
    store.startRecording()
    let logging = Stopwatch()
    for number in 1...size { store.send(.add(number)) }
    let logTime = logging.nanoseconds(per: size)
    guard let log = store.actionLog else { throw WrongResult(description: "there is no log") }
    let replaying = Stopwatch()
    let state = try log.replay()
    let replayTime = replaying.nanoseconds(per: size)
    try require(state.count, equals: size * (size + 1) / 2)
    return [logTime, replayTime]
  }

  func baseline(_ size: Int) throws -> [Double] {
    struct Logged: Sendable {
      var model = TallyModel()
      var actions: [TallyModel.Action] = []
    }
    let state = Locked(Logged())
    let logging = Stopwatch()
    for number in 1...size {
      state.withLock { logged in
        _ = TallyModel.update(&logged.model, .add(number))
        logged.actions.append(.add(number))
      }
    }
    let logTime = logging.nanoseconds(per: size)
    let actions = state.withLock { $0.actions }
    let replaying = Stopwatch()
    var model = TallyModel()
    for action in actions { _ = TallyModel.update(&model, action) }
    let replayTime = replaying.nanoseconds(per: size)
    try require(model.count, equals: size * (size + 1) / 2)
    return [logTime, replayTime]
  }
}
