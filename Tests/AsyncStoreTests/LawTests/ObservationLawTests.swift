import AsyncStoreTesting
import Observation
import Testing

@testable import AsyncStore

/// Law 26.
@Suite("Law 26: observation")
struct ObservationLawTests {
  struct Numbers: Sendable { var n = 0; var other = 0 }
  typealias NumberStore = AsyncStore<Numbers, Void>

  let harness = Harness()

  @Test("A commit before the observer is installed is reported, though none follows it")
  func law26_aCommitInsideTheBody() {
    let store = harness.store(of: Numbers(), env: ())
    let reports = Note(0)
    withObservationTracking {
      _ = store.n
      store.receive(.set(\.n, to: 1))
    } onChange: {
      reports.change { $0 += 1 }
    }
    harness.settle()
    #expect(reports.value == 1)
  }

  @Test(
    "A commit before the observer is installed is reported even if the executor runs its jobs at once",
    .timeLimit(.minutes(10)))
  func law26_executorThatGoesOnAtOnce() async {
    let store = AsyncStore(state: Numbers(), env: (), executor: ImmediateExecutor())
    for number in 1...20 {
      let reported = Gate()
      withObservationTracking {
        _ = store.n
        store.receive(.set(\.n, to: number))
      } onChange: {
        reported.open()
      }
      await reported.wait()
    }
  }

  @Test("A commit before the observer is installed leaves those after it to be reported, once")
  func law26_commitsAfterTheBody() {
    let store = harness.store(of: Numbers(), env: ())
    let reports = Note(0)
    withObservationTracking {
      _ = store.n
      store.receive(.set(\.n, to: 1))
    } onChange: {
      reports.change { $0 += 1 }
    }
    for number in 2...100 { store.receive(.set(\.n, to: number)) }
    harness.settle()
    #expect(reports.value == 1)
  }

  @Test("An inner tracking's commit is reported to the outer one, which has read the value before")
  func law26_nestedTracking() {
    let store = harness.store(of: Numbers(), env: ())
    let (inner, outer) = (Note(0), Note(0))
    withObservationTracking {
      withObservationTracking {
        _ = store.n
      } onChange: {
        inner.change { $0 += 1 }
      }
      store.receive(.set(\.n, to: 1))
    } onChange: {
      outer.change { $0 += 1 }
    }
    harness.settle()
    #expect([inner.value, outer.value] == [1, 1])
    store.receive(.set(\.n, to: 2))
    harness.settle()
    #expect([inner.value, outer.value] == [1, 1])
  }

  @Test("A tracking that has read after the change is not notified of it")
  func law26_onlyWhoReadBefore() {
    let store = harness.store(of: Numbers(), env: ())
    let (early, late) = (Note(0), Note(0))
    withObservationTracking {
      _ = store.n
      store.receive(.set(\.n, to: 1))
    } onChange: {
      early.change { $0 += 1 }
    }
    withObservationTracking {
      _ = store.n
    } onChange: {
      late.change { $0 += 1 }
    }
    harness.settle()
    #expect([early.value, late.value] == [1, 0])
    store.receive(.set(\.n, to: 2))
    #expect([early.value, late.value] == [1, 1])
  }

  @Test("A property that nobody observes any more leaves nothing, and a commit does nothing for it")
  func law26_nothingIsKept() {
    let store = harness.store(of: Numbers(), env: ())
    for _ in 0..<100 { _ = store.n }
    #expect(store.observerCount == 0)
    for number in 1...100 {
      withObservationTracking {
        _ = (store.n, store.n, store.other)
      } onChange: {
      }
      #expect(store.observerCount == 2)
      store.receive(.set(\.n, to: number))
      store.receive(.set(\.other, to: number))
      #expect(store.observerCount == 0)
    }
    #expect(store.remains == [])
  }

  @Test("A store bound to an actor reports on the actor, also what was committed before the observer was installed")
  func law26_onAnActor() throws {
    let desk = Desk()
    let store = harness.store(of: Numbers(), env: (), isolation: desk)
    let reports = Note<[Bool]>([])
    @Sendable func track(_ body: () -> Void) {
      withObservationTracking(body) { reports.change { [store] in $0.append(store.runtime.isOnIsolation()) } }
    }
    track { _ = store.n }
    store.receive(.set(\.n, to: 1))
    #expect(reports.value == [])
    harness.settle()
    #expect(reports.value == [true])
    try harness.wait {
      await desk.run { desk in
        track {
          _ = store.n
          store.receive(.set(\.n, to: 2), isolation: desk)
        }
      }
    }
    harness.settle()
    #expect(reports.value == [true, true])
    #expect(store.observerCount == 0)
  }

  @Test("A property that is tracked from within the report of a change is tracked again")
  func law26_rereadingWhenTold() {
    let store = harness.store(of: Numbers(), env: ())
    let seen = Note<[Int]>([])
    @Sendable func read() {
      withObservationTracking {
        seen.change { $0.append(store.n) }
      } onChange: {
        read()
      }
    }
    read()
    for number in 1...5 { store.receive(.set(\.n, to: number)) }
    store.receive(.concatenate(.set(\.n, to: 6), .set(\.n, to: 7)))
    #expect(seen.value == [0, 1, 2, 3, 4, 5, 7])
    #expect(store.observerCount == 1)
  }

  @Test("A sequence of observations ends at the last value, whatever was committed between two reads")
  func law26_observationsEndAtTheLastValue() throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let store = harness.store(of: Numbers(), env: ())
    let seen = Note<[Int]>([])
    // Commits inside the reading come before the observer that the reading installs.
    let reader = harness.start {
      for await number in Observations({ () -> Int in
        let number = store.n
        if number % 10 != 9 { store.receive(.set(\.n, to: number + 1)) }
        return number
      }) {
        seen.change { $0.append(number) }
        if number == 50 { break }
        if number == 9 || number % 10 == 9 { store.receive(.set(\.n, to: number + 1)) }
      }
    }
    harness.settle()
    // Each reading commits the next number. No reading follows the one that ends the loop.
    #expect(seen.value == Array(0...50))
    #expect(reader.isFinished)
    #expect(store.n == 51)
  }

  @Test("Store, hand-written class and model report alike in a thousand programs of nested trackings")
  func law26_differential() {
    let seed = SplitMix64.nextSeed()
    var generator = SplitMix64(seed: seed)
    for number in 0..<1_000 {
      let steps = TrackingStep.program(&generator)
      let store = harness.store(of: Numbers(), env: ())
      let ofStore = TrackingStep.run(
        steps, read: { _ = $0 == 0 ? store.n : store.other },
        set: { store.receive($0 == 0 ? .set(\.n, to: $1) : .set(\.other, to: $1)) }, settle: harness.settle)
      let object = HandWritten()
      let ofObject = TrackingStep.run(
        steps, read: { _ = $0 == 0 ? object.n : object.other },
        set: { if $0 == 0 { object.n = $1 } else { object.other = $1 } }, settle: {})
      let expected = TrackingStep.model(steps)
      // A class reports a change that Observation has lost in a tracked body together with the next change.
      let areAlike = zip(ofObject, expected).allSatisfy { Set($0).isSubset(of: $1) } && ofObject.last == expected.last
      guard ofStore == expected, areAlike else {
        Issue.record(
          "seed \(seed), program \(number): \(steps)\nmodel \(expected)\nstore \(ofStore)\nclass \(ofObject)")
        return
      }
    }
  }
}

/// A step of a program that reads and sets two numbers, and tracks what it reads.
private indirect enum TrackingStep {
  case read(Int)
  case set(Int, to: Int)
  case track([TrackingStep])

  static func program(_ generator: inout SplitMix64) -> [TrackingStep] {
    (0..<(2 + generator.next() % 10)).map { _ in step(&generator, depth: 0) } + [.set(0, to: -1), .set(1, to: -1)]
  }

  private static func step(_ generator: inout SplitMix64, depth: Int) -> TrackingStep {
    let property = Int(generator.next() % 2)
    switch generator.next() % (depth < 3 ? 4 : 2) {
    case 0: return .read(property)
    case 1: return .set(property, to: Int(generator.next() % 3))
    default: return .track((0..<(1 + generator.next() % 4)).map { _ in step(&generator, depth: depth + 1) })
    }
  }

  /// - Returns: the numbers of the trackings that have been notified after each step.
  static func run(
    _ steps: [TrackingStep], read: (Int) -> Void, set: (Int, Int) -> Void, settle: () -> Void
  ) -> [[Int]] {
    let reports = Note<[Int]>([])
    var count = 0
    func perform(_ step: TrackingStep) {
      switch step {
      case .read(let property): read(property)
      case .set(let property, let value): set(property, value)
      case .track(let body):
        count += 1
        let number = count
        withObservationTracking {
          for step in body { perform(step) }
        } onChange: {
          reports.change { $0.append(number) }
        }
      }
    }
    return steps.map { step in
      perform(step)
      settle()
      return reports.value.sorted()
    }
  }

  /// The model of law 26: a tracking is notified if a property that it has read has changed since.
  static func model(_ steps: [TrackingStep]) -> [[Int]] {
    var values = [0, 0]
    var versions = [0, 0]
    var count = 0
    var trackings: [(number: Int, reads: [Int: Int])] = []
    var reads: [[Int: Int]] = [[:]]
    func perform(_ step: TrackingStep) {
      switch step {
      case .read(let property):
        // The first reading counts.
        reads[reads.count - 1].merge([property: versions[property]]) { first, _ in first }
      case .set(let property, let value):
        if values[property] != value { versions[property] += 1 }
        values[property] = value
      case .track(let body):
        count += 1
        let number = count
        reads.append([:])
        for step in body { perform(step) }
        let own = reads.removeLast()
        reads[reads.count - 1].merge(own) { first, _ in first }
        trackings.append((number, own))
      }
    }
    return steps.map { step in
      perform(step)
      return trackings.filter { $0.reads.contains { versions[$0.key] > $0.value } }.map(\.number).sorted()
    }
  }
}

extension AsyncStore {
  /// The number of observers of commits.
  var observerCount: Int { runtime.lock { $0.observers.count } }
}
