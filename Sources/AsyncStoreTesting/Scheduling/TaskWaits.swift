import CAsyncStoreTesting

/// An unowned reference to a task.
struct TaskReference: Sendable {
  // `nonisolated(unsafe)`: the pointer never changes, and its creator keeps the task while the reference is used. The
  // simulation keeps the task of its body; the scheduler keeps each plain task that has not returned.
  fileprivate nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

  init(_ task: Task<Void, Never>) {
    // A `Task` is a reference to the runtime's task and nothing else.
    pointer = unsafeBitCast(task, to: UnsafeMutableRawPointer.self)
  }

  init(_ task: PlainTask) { pointer = task.pointer }

  var number: UInt64 { asyncStoreTesting_number(pointer) }
}

/// A graph of tasks that wait for each other's results.
struct TaskWaits {
  private var descriptions: [UInt64: String] = [:]
  /// The names that tasks were created with.
  private let names: [UInt64: String]
  /// The task that each waiting task waits for, by number.
  private var edges: [UInt64: UInt64]

  /// - Parameter edges: the task that each waiting task waits for, by number.
  init(edges: [UInt64: UInt64], names: [UInt64: String] = [:]) {
    self.edges = edges
    self.names = names
  }

  /// - Parameters:
  ///   - tasks: the tasks that have not returned.
  ///   - main: the body's task.
  ///   - names: the names that tasks were created with, by the tasks' numbers, as far as they are known.
  init(_ tasks: [PlainTask], main: TaskReference?, names: [UInt64: String]) {
    self.init(edges: [:], names: names)
    if let main { descriptions[main.number] = "the body" }
    for (index, task) in tasks.enumerated() {
      let number = asyncStoreTesting_number(task.pointer)
      let name = names[number].map { " \($0.debugDescription)" } ?? ""
      let origin = task.origin?.name.map { " (made in \($0))" } ?? ""
      descriptions[number] = "task \(index + 1)\(name)\(origin)"
      for waiter in Self.waiters(for: task) { edges[waiter] = number }
    }
  }

  /// Returns the numbers of the tasks that wait for a task.
  private static func waiters(for task: PlainTask) -> ArraySlice<UInt64> {
    var waiters = [UInt64](repeating: 0, count: 16)
    while true {
      let count = asyncStoreTesting_waiters(task.pointer, &waiters, waiters.count)
      if count < waiters.count { return waiters.prefix(count) }
      waiters = [UInt64](repeating: 0, count: waiters.count * 2)
    }
  }

  /// The lines of a report, one for each task that waits for another, with a cycle first.
  ///
  /// - Complexity: linear in the number of tasks, except for their order.
  var lines: [String] {
    let cycle = cycle
    let members = Set(cycle)
    let others = edges.filter { !members.contains($0.key) }.sorted { $0.key < $1.key }
    var lines: [String] = []
    if let first = cycle.first {
      let tasks = (cycle + [first]).map(description)
      lines.append("In a cycle: \(tasks.joined(separator: " waits for ")).")
    }
    return lines + others.map { "\(description($0.key)) waits for \(description($0.value))." }
  }

  private func description(_ number: UInt64) -> String {
    // A task with a name may have an executor of its own, and need not be a child.
    descriptions[number] ?? names[number].map { "task \($0.debugDescription)" } ?? "a child task"
  }

  /// A cycle, beginning with its lowest number; empty if there is none.
  ///
  /// - Complexity: linear in the number of tasks, except for their order.
  private var cycle: [UInt64] {
    var visited: Set<UInt64> = []
    for start in edges.keys.sorted() {
      var (path, places): ([UInt64], [UInt64: Int]) = ([], [:])
      var task = Optional(start)
      while let current = task, visited.insert(current).inserted {
        places[current] = path.count
        path.append(current)
        task = edges[current]
      }
      guard let last = task, let place = places[last] else { continue }
      let cycle = path[place...]
      let lowest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? place
      return Array(cycle[lowest...] + cycle[..<lowest])
    }
    return []
  }
}
