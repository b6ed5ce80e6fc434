import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Tasks that go from actor to actor")
struct ActorSwitchTests {
  private actor Account {
    var value: Int
    init(_ value: Int) { self.value = value }
    func add(_ difference: Int) { value += difference }
  }

  /// The ways to run two operations beside each other.
  enum Way: CaseIterable {
    case tasks, detachedTasks, mainActorTasks, children, childrenOfATask, effects

    typealias Operation = @Sendable () async -> Void

    func run(_ simulation: Simulation, _ one: @escaping Operation, _ other: @escaping Operation) async {
      switch self {
      case .tasks:
        let tasks = [Task { await one() }, Task { await other() }]
        for task in tasks { await task.value }
      case .detachedTasks:
        let tasks = [Task.detached { await one() }, Task.detached { await other() }]
        for task in tasks { await task.value }
      case .mainActorTasks:
        let tasks = [Task { @MainActor in await one() }, Task { @MainActor in await other() }]
        for task in tasks { await task.value }
      case .children:
        async let first: Void = one()
        async let second: Void = other()
        _ = await (first, second)
      case .childrenOfATask:
        await Task {
          async let first: Void = one()
          async let second: Void = other()
          _ = await (first, second)
        }.value
      case .effects:
        let store = simulation.store(0, env: ())
        let effect = AsyncStore<Int, Void>.Effect.merge(
          .task {
            await one()
            return .none
          },
          .task {
            await other()
            return .none
          })
        await store.run(effect)
      }
    }
  }

  @Test(
    "A task that goes from actor to actor is seen between the two, however it was made", arguments: Way.allCases,
    [true, false])
  func tornSum(way: Way, isExhaustive: Bool) async throws {
    let sums = Note<Set<Int>>([])
    let exploration: Exploration = isExhaustive ? .exhaustive() : .seeds(300)
    try await explore(exploration) { simulation in
      let (a, b) = (Account(1), Account(0))
      await way.run(simulation) {
        await a.add(-1)
        await b.add(1)
      } _: {
        let (first, second) = (await a.value, await b.value)
        sums.change { $0.insert(first + second) }
      }
    }
    #expect(sums.value.isSuperset(of: [0, 1]))
  }
}
