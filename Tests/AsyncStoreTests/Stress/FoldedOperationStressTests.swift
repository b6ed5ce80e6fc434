import AsyncStore
import Synchronization
import Testing

extension StressTests {
  @Suite("Operations in one fiber with what encloses them")
  struct FoldedOperations {
    private struct Book: Sendable {
      var reserved: Set<Int> = []
      var done = 0
      var undone = 0
      var late = 0
    }

    private typealias Shop = AsyncStore<Book, Void>
    private struct Refused: Error {}

    /// An order that ends in every way: at once, after a wait, with an effect, with errors, too late, or by a cancel.
    private static func order(_ number: Int) -> Shop.Effect {
      let attempts = Shared(Atomic<Int>(0))
      return Shop.Effect.sequence(
        step(number) {
          switch number % 8 {
          case 1: await Task.yield()
          case 2: return .set { _ in }
          case 3: return .concatenate(.task { .none }, .set { _ in })
          case 4: if attempts.value.add(1, ordering: .relaxed).newValue < 3 { throw Refused() }
          case 5: throw Refused()
          case 6: try await Task.sleep(for: .seconds(60))
          case 7: try await Task.sleep(for: .microseconds(100))
          default: break
          }
          return .none
        },
        .set { book in
          book.done += 1
          book.reserved.remove(number)
        }
      ).id(number)
    }

    private static func step(_ number: Int, _ operation: @escaping @Sendable () async throws -> Shop.Effect)
      -> Shop.Effect
    {
      .sequence(
        .set { $0.reserved.insert(number) }.compensate(
          with: .set { book in
            book.reserved.remove(number)
            book.undone += 1
          }),
        Shop.Effect.task(operation)
          .timeout(.milliseconds(5), else: .concatenate(.set { $0.late += 1 }, .task { throw Refused() }))
          .retry(.constant(.zero).limitedTo(attempts: 3))
          .compensate(with: .task { .none }))
    }

    @Test("Folded operations end in every way while other threads look at them and cancel them")
    func looks() async {
      let shop = Shop(state: Book(), env: ())
      let count = Stress.count(8_000)
      let hasEnded = Shared(Atomic<Bool>(false))
      let next = Shared(Atomic<Int>(0))
      async let looks = withTaskGroup { group in
        for thread in 0..<2 {
          group.addTask {
            var listed = 0
            while !hasEnded.value.load(ordering: .relaxed) {
              switch thread {
              case 0: listed = max(listed, shop.inFlight.count)
              default: shop.receive(.cancel(next.value.load(ordering: .relaxed) - Int.random(in: 0..<16)))
              }
              await Task.yield()
            }
            return listed
          }
        }
        return await group.reduce(0, max)
      }
      await withTaskGroup { group in
        for _ in 0..<32 {
          group.addTask {
            while case let number = next.value.add(1, ordering: .relaxed).newValue, number <= count {
              await shop.run(Self.order(number))
            }
          }
        }
      }
      hasEnded.value.store(true, ordering: .relaxed)
      #expect(await looks > 0)
      #expect(shop.inFlight.isEmpty)
      let book = shop.state
      #expect(book.reserved.isEmpty)
      #expect(book.done + book.undone == count)
      #expect(book.done > count / 3)
    }
  }
}
