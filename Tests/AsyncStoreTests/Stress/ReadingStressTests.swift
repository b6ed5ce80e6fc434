import AsyncStore
import Synchronization
import Testing

/// Fields that agree in every state that was committed, and grow with each commit.
struct Whole: Sendable, Equatable {
  final class Number: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
  }

  struct Pair: Sendable, Equatable {
    var number = 0
    var product = 0
    var text = "0"
  }

  static let factor = 0x9E37_79B9_7F4A_7C1

  private(set) var number = 0
  private(set) var product = 0
  private(set) var reference = Number(0)
  private(set) var list = [0, 0]
  private(set) var pair = Pair()
  var canary: Canary?

  mutating func advance() {
    number += 1
    product = number &* Self.factor
    reference = Number(number)
    list[number % 2] = number
    pair = Pair(number: number, product: product, text: "the number \(number)")
  }

  var isWhole: Bool {
    product == number &* Self.factor && reference.value == number && list[number % 2] == number && pair.number == number
      && pair.isWhole
  }

  static func == (left: Whole, right: Whole) -> Bool { left.number == right.number }
}

extension Whole.Pair {
  var isWhole: Bool { product == number &* Whole.factor && (number == 0 || text == "the number \(number)") }
}

typealias WholeStore = AsyncStore<Whole, Canary?>

extension StressTests {
  @Suite("Reading under load")
  struct ReadingStressTests {
    private let writers = 2
    private let commits = Stress.count(15_000)

    private func write(to store: WholeStore) { for _ in 0..<commits { store.receive(.set { $0.advance() }) } }

    /// Reads a number that must never decrease.
    ///
    /// `nil` stands for a state that is not whole.
    private func read(_ times: Int, _ number: () -> Int?) -> Bool {
      var last = 0
      for _ in 0..<times {
        guard let next = number(), next >= last else { return false }
        last = next
      }
      return true
    }

    /// The ways to read, each of which sees only whole states.
    enum Reading: CaseIterable, Sendable {
      case state, property, compoundProperty, withState

      func number(in store: WholeStore) -> Int? {
        switch self {
        case .state:
          let state = store.state
          return state.isWhole ? state.number : nil
        case .property: return store.number
        case .compoundProperty:
          let pair = store.pair
          return pair.isWhole ? pair.number : nil
        case .withState: return store.withState { $0.isWhole ? $0.number : nil }
        }
      }
    }

    @Test("A million reads against commits see whole states that only grow", arguments: Reading.allCases)
    func reads(_ reading: Reading) async {
      let population = Population()
      let violations = Tally()
      do {
        let store = WholeStore(state: Whole(canary: population.canary()), env: population.canary())
        let hasBegun = Shared(Atomic<Bool>(false))
        let isOver = Shared(Atomic<Bool>(false))
        await Stress.onThreads(2) { thread in
          if thread == 0 {
            // Otherwise all reads might end before the other thread commits for the first time.
            while !hasBegun.value.load(ordering: .acquiring) {}
            if !read(Stress.count(250_000), { reading.number(in: store) }) { violations.add() }
            isOver.value.store(true, ordering: .releasing)
          } else {
            repeat {
              store.receive(.set { $0.advance() })
              hasBegun.value.store(true, ordering: .releasing)
            } while !isOver.value.load(ordering: .acquiring)
          }
        }
        #expect(violations.value == 0)
        #expect(store.number > 0)
      }
      #expect(await population.isExtinct())
    }

    @Test("Readers of the values see every commit once, in order, and whole")
    func values() async {
      let population = Population()
      do {
        let store = WholeStore(state: Whole(canary: population.canary()), env: population.canary())
        let total = writers * commits
        await withTaskGroup(of: Bool.self) { group in
          for index in 0..<4 {
            // The reading begins before the writers, or during their work.
            let values = store.values(of: \.self)
            group.addTask {
              for _ in 0..<index { await Task.yield() }
              var last = -1
              for await value in values {
                guard value.isWhole, last < 0 || value.number == last + 1 else { return false }
                last = value.number
                if last == total { return true }
              }
              return false
            }
          }
          await Stress.onThreads(writers) { _ in write(to: store) }
          for await isRight in group { #expect(isRight) }
        }
      }
      #expect(await population.isExtinct())
    }

    @Test("Readers whose store is dropped see all its values up to the last, and then the end")
    func valuesAgainstDealloc() async {
      let population = Population()
      for round in 0..<Stress.count(400) {
        let latest = Tally()
        await withTaskGroup(of: Int.self) { group in
          let store = Shared(
            Mutex<WholeStore?>(WholeStore(state: Whole(canary: population.canary()), env: population.canary())))
          for _ in 0..<3 {
            let values = Shared(Mutex(store.value.withLock { $0?.values(of: \.number) }))
            group.addTask {
              // The sequence would retain the store. The iterator does not.
              guard var reader = values.value.withLock({ $0.take() })?.makeAsyncIterator() else { return -1 }
              var last = -1
              while let number = await reader.next() {
                #expect(last < 0 || number == last + 1)
                last = number
              }
              let afterTheEnd = await reader.next()
              #expect(afterTheEnd == nil)
              return last
            }
          }
          await useUp(store, deactivates: round % 2 == 0, latest)
          for await last in group { #expect(last < 0 || last == latest.value) }
        }
      }
      #expect(await population.isExtinct())
    }

    /// Commits from two threads while a third one ends the store.
    ///
    /// Each thread releases the store when it is done.
    private func useUp(_ shared: Shared<Mutex<WholeStore?>>, deactivates: Bool, _ latest: Tally) async {
      await Stress.onThreads(3) { thread in
        guard let store = shared.value.withLock({ $0 }) else { return }
        if thread == 2 {
          shared.value.withLock { $0 = nil }
          if deactivates { store.deactivate() }
          return
        }
        for _ in 0..<20 {
          if case .finished = store.receive(.set { $0.advance() }).outcomeIfSettled { latest.add() }
        }
      }
    }

    @Test("Every waiter is woken by the commit it waits for", .timeLimit(.minutes(10)))
    func waitAgainstCommit() async {
      let population = Population()
      do {
        let store = WholeStore(state: Whole(canary: population.canary()), env: population.canary())
        let commits = Stress.count(800)
        await withTaskGroup(of: Bool.self) { group in
          for number in stride(from: 0, through: commits, by: 2) {
            group.addTask {
              let value = try? await store.wait(for: \.pair, toSatisfy: { $0.number >= number }, timeout: .seconds(300))
              return value.map { $0.number >= number && $0.isWhole } ?? false
            }
          }
          await Stress.onThreads(2) { _ in
            for _ in 0..<commits / 2 { store.receive(.task { .set { $0.advance() } }) }
          }
          var count = 0
          for await isRight in group {
            #expect(isRight)
            count += 1
          }
          #expect(count == commits / 2 + 1)
        }
      }
      #expect(await population.isExtinct())
    }
  }
}
