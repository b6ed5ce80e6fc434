import Testing

@testable import AsyncStore

@Suite("The lineage of an effect that has waited")
struct MachineLineageTests {
  /// A machine, and the commits that it asked for, each with the hop that it follows from.
  private struct Shell: ~Copyable {
    var machine = Machine<TestProgram>(seed: 1)
    var pass: Pass<TestProgram>
    var commits: [[Int]] = []
    /// The fiber whose operation ends when the next event gives up the lock, if any.
    var finishesBetween: UInt32?

    init(stepLimit: Int32) { pass = Pass(stepLimit: stepLimit) { .zero } }

    /// Carries out an event, which follows from a number of deliveries.
    mutating func callAsFunction(_ hop: Int?, _ event: (inout Machine<TestProgram>, inout Pass<TestProgram>) -> Void) {
      pass.start()
      pass.begin(hop.map { DeliveryLineage(hop: $0) })
      event(&machine, &pass)
      note(hop)
      while !machine.ready.isEmpty {
        let suspension = machine.suspend(pass)
        // Another event comes in between.
        if let operation = finishesBetween.take() { finish(operation, at: (hop ?? 0) + 100) }
        pass.start()
        pass.begin(hop.map { DeliveryLineage(hop: $0) })
        machine.resume(suspension, &pass)
        note(hop)
      }
    }

    private mutating func note(_ hop: Int?) {
      var hop = hop
      for directive in pass.takeDirectives() {
        switch directive {
        case .follow(let lineage): hop = lineage?.hop
        case .commit(_, let site, let count):
          for index in site.index..<site.index + Int(count) {
            guard case .commit(let number) = site.program.tree(at: index) else { continue }
            commits.append([number, hop ?? 0])
          }
        default: break
        }
      }
    }

    mutating func begin(_ tree: Tree, at hop: Int?) {
      self(hop) { machine, pass in machine.received(TestProgram(tree), context: 0, &pass) }
    }

    mutating func finish(_ number: UInt32, at hop: Int?) {
      self(hop) { machine, pass in
        let slot = FiberSlot(number: number)
        machine.operationFinished(machine.id(of: slot), nil, &pass)
      }
    }

    /// The first fiber whose operation runs.
    var operating: UInt32 {
      first { if case .operating = $0 { true } else { false } }
    }

    func first(_ isMeant: (Fiber<TestProgram>.Activity) -> Bool) -> UInt32 {
      for slot in machine.fibers.slots where isMeant(machine.fibers[slot].activity) {
        if !machine.fibers[slot].flags.contains(.cancelled) { return slot.number }
      }
      preconditionFailure("there is no such fiber")
    }
  }

  private static let queue = ScopePolicy.queue(width: 1, capacity: .max)

  @Test(
    "An effect that continues has its own lineage, and not that of what it has waited for",
    arguments: [Int32(1), 2, 3, 1_024])
  func queueAndJoin(stepLimit: Int32) {
    var shell = Shell(stepLimit: stepLimit)
    let others = Tree.merge(.commit(3), .concatenate(.commit(4), .commit(5)))
    shell.begin(.concatenate(.scope(1, Self.queue, .operate(0)), .commit(1)), at: 7)
    shell.begin(.scope(1, Self.queue, .concatenate(.commit(2), others)), at: 8)
    shell.begin(.concatenate(.join(.identifiers([1])), .commit(6)), at: 9)
    shell.begin(.scope(1, Self.queue, .commit(7)), at: nil)
    #expect(shell.commits == [])
    let operation = shell.operating
    shell.finish(operation, at: 20)
    let commits = Dictionary(uniqueKeysWithValues: shell.commits.map { ($0[0], $0[1]) })
    // One that waits without a lineage follows from what it has waited for.
    #expect(commits == [1: 20, 2: 8, 3: 8, 4: 8, 5: 8, 6: 9, 7: 8])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("An effect that has made a place free keeps its own lineage for what it does next")
  func restOfTheEvent() {
    var shell = Shell(stepLimit: 1_024)
    shell.begin(.scope(5, .scope(1, Self.queue, .sleep(100))), at: 7)
    shell.begin(.scope(1, Self.queue, .commit(1)), at: 8)
    shell.begin(.merge(.cancel(.identifiers([5])), .commit(2)), at: 20)
    #expect(shell.commits == [[1, 8], [2, 20]])
  }

  @Test("An effect in line keeps its lineage when another effect takes the place that has come free")
  func placeTakenByAnother() {
    var shell = Shell(stepLimit: 1)
    let queue = ScopePolicy.queue(width: 2, capacity: .max)
    // An effect inside of a holder does not wait in line.
    shell.begin(.scope(1, queue, .concatenate(.operate(0), .scope(1, queue, .operate(0)))), at: 7)
    let outer = shell.operating
    shell.begin(.scope(5, .scope(1, queue, .sleep(100))), at: 7)
    shell.begin(.scope(1, queue, .commit(1)), at: 8)
    shell.finishesBetween = outer
    shell.begin(.cancel(.identifiers([5])), at: 20)
    #expect(shell.commits == [])
    let inner = shell.operating
    shell.finish(inner, at: 30)
    #expect(shell.commits == [[1, 8]])
  }

  @Test("The effects of a serial source have the lineages of their values")
  func serialSource() {
    var shell = Shell(stepLimit: 1_024)
    shell.begin(.source(1, .serial(capacity: 2)), at: 0)
    let source = shell.first { if case .emitting = $0 { true } else { false } }
    let id = shell.machine.id(of: FiberSlot(number: source))
    shell(3) { machine, pass in machine.emitted(id, TestProgram(.operate(0)), &pass) }
    for hop in 4...6 {
      shell(hop) { machine, pass in machine.emitted(id, TestProgram(.concatenate(.commit(hop), .operate(0))), &pass) }
    }
    // The oldest one was dropped.
    for hop in 5...6 {
      let operation = shell.operating
      shell.finish(operation, at: 20 + hop)
      #expect(shell.commits.last == [hop, hop])
    }
  }
}
