import AsyncStore
import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("A part of a part that goes away")
struct NestedPartTests {
  struct Job: Model {
    enum Action: Sendable { case report, reportTwice, charge, charged }

    var charges = 0

    static func update(_ state: inout Job, _ action: Action) -> Effect {
      switch action {
      case .report: return .concatenate(.sleep(.seconds(1)), .send(.charged))
      case .reportTwice: return .concatenate(.sleep(.seconds(1)), .send([.charged, .charged]))
      case .charge:
        let charge = StateTransaction<Job, Void>("charge") { try $0.change { $0.charges += 1 } }
        return .sequence(.sleep(.seconds(1)), .transaction(charge), .task { .send(.charged) })
      case .charged: return .none
      }
    }
  }

  struct Folder: Model {
    enum Action: Sendable {
      case job(Job.Action)
      indirect case folder(Action)

      /// The action that a folder has at the bottom.
      var bottom: Job.Action {
        switch self {
        case .job(let action): action
        case .folder(let action): action.bottom
        }
      }
    }

    var job = Job()
    var folders: [Folder] = []

    static func update(_ state: inout Folder, _ action: Action) -> Effect {
      switch action {
      case .job(let action): update(Part(\.job), of: &state, action, as: Action.job)
      case .folder(let action): update(Part(optional: \.first), of: &state, action, as: Action.folder)
      }
    }

    var first: Folder? {
      get { folders.first }
      set { folders = newValue.map { [$0] } ?? [] }
    }
  }

  struct App: Model {
    var folder: Folder?
    var reports = 0

    init(depth: Int) {
      var folder = Folder()
      for _ in 1..<depth { folder = Folder(folders: [folder]) }
      self.folder = folder
    }

    static func update(_ state: inout App, _ action: Folder.Action) -> Effect {
      if case .charged = action.bottom { state.reports += 1 }
      return update(Part(optional: \.folder), of: &state, action, as: { $0 })
    }
  }

  private func action(_ action: Job.Action, at depth: Int) -> Folder.Action {
    (1..<depth).reduce(.job(action)) { inner, _ in .folder(inner) }
  }

  @Test("The actions of its effects reach the whole model, however deep it is", .simulated(), arguments: [1, 2, 5])
  func actions(depth: Int) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(App(depth: depth), env: ())
    store.startRecording()
    store.send([action(.report, at: depth), action(.reportTwice, at: depth)])
    store.receive(.set(\.folder, to: nil))
    await simulation.clock.run()
    #expect(store.reports == 3)
    #expect(store.actionLog?.changes.count == 6)
  }

  @Test("A transaction in its effects fails, and its sequence does not continue", .simulated(), arguments: [1, 2, 5])
  func transactions(depth: Int) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(App(depth: depth), env: ())
    let handle = store.send(action(.charge, at: depth))
    store.receive(.set(\.folder, to: nil))
    await simulation.clock.run()
    guard case .failed(let error as TransactionError) = await handle.outcome else {
      Issue.record("\(await handle.outcome)")
      return
    }
    #expect(error.code == .missing && store.reports == 0)
  }

  @Test("A transaction in its effects changes it, however deep it is", .simulated(), arguments: [1, 2, 5])
  func presentParts(depth: Int) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(App(depth: depth), env: ())
    let handle = store.send(action(.charge, at: depth))
    await simulation.clock.run()
    #expect(await handle.outcome.isFinished)
    var folder = store.folder
    for _ in 1..<depth { folder = folder?.first }
    #expect(folder?.job.charges == 1 && store.reports == 1)
  }
}
