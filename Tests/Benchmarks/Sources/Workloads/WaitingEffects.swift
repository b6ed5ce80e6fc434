import AsyncStore
import Synchronization

/// M1: the memory of what waits, and of a store that does nothing.
struct WaitingEffects: Workload {
  let name = "M1"
  let title = "memory of each waiting effect, by kind, and of an idle store"
  let counterpart = "a task in Task.sleep; an actor"
  let metrics = ["sleep", "sleep under an id", "timeout", "debounce", "timer", "join", "task", "idle store"]
    .map { Metric(name: $0, unit: "B") }
  let sizes = [1_000, 10_000, 100_000]
  let barSize = 100_000
  let quickSize = 1_000

  func repetitions(at size: Int) -> Int { 1 }

  private static let long = Duration.seconds(3_600)

  func ours(_ size: Int) async throws -> [Double] {
    var bytes = [
      try await memory(size) { _ in .sleep(Self.long) },
      try await memory(size) { .sleep(Self.long).id($0) },
      try await memory(size) { _ in .sleep(Self.long * 2).timeout(Self.long) },
      try await memory(size) { .debounce({ .none }, for: Self.long, id: $0) },
      try await memory(size) { .timer(Self.long, id: $0) { _ in .none } },
      try await memory(size, beside: .sleep(Self.long).id("awaited")) { _ in .join("awaited") },
    ]
    let begun = Begun()
    bytes.append(
      try await memory(size, until: { begun.count.load(ordering: .relaxed) == size }) { _ in
        .task {
          begun.count.add(1, ordering: .relaxed)
          try await Task.sleep(for: Self.long)
          return .none
        }
      })
    try await Process.waitUntilFreed()
    let before = Process.allocatedBytes
    let stores = (0..<size).map { _ in TallyStore() }
    bytes.append(Double(Process.allocatedBytes - before) / Double(stores.count))
    return bytes
  }

  private func memory(
    _ size: Int, beside first: TallyStore.Effect = .none, until haveBegun: () -> Bool = { true },
    _ effect: (_ number: Int) -> TallyStore.Effect
  ) async throws -> Double {
    try await Process.waitUntilFreed()
    let store = TallyStore()
    store.receive(first)
    let before = Process.allocatedBytes
    for number in 0..<size { store.receive(effect(number)) }
    while !haveBegun() { try await Task.sleep(for: .milliseconds(1)) }
    let bytes = Process.allocatedBytes - before
    try require(store.inFlightCount >= size, "not all effects are in flight")
    store.deactivate()
    return Double(bytes) / Double(size)
  }

  private final class Begun: Sendable { let count = Atomic(0) }

  private actor Idle {
    private let tally = Tally()
  }

  func baseline(_ size: Int) async throws -> [Double] {
    try await Process.waitUntilFreed()
    let begun = Begun()
    var before = Process.allocatedBytes
    let tasks = (0..<size).map { _ in
      Task {
        begun.count.add(1, ordering: .relaxed)
        try await Task.sleep(for: Self.long)
      }
    }
    while begun.count.load(ordering: .relaxed) < size { try await Task.sleep(for: .milliseconds(1)) }
    let sleeping = Double(Process.allocatedBytes - before) / Double(size)
    for task in tasks { task.cancel() }
    try await Process.waitUntilFreed()
    before = Process.allocatedBytes
    let actors = (0..<size).map { _ in Idle() }
    let idle = Double(Process.allocatedBytes - before) / Double(actors.count)
    return metrics.dropLast().map { _ in sleeping } + [idle]
  }
}
