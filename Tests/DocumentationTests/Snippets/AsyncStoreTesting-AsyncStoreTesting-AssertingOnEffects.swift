// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/AssertingOnEffects.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/AssertingOnEffects.md")
struct AsyncStoreTestingAsyncStoreTestingAssertingOnEffectsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AssertingOnEffects.md yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      store.receive(.concatenate(.set(\.isLoading, to: true), .sleep(.milliseconds(300)).id("pause"), .set(\.count, to: 1)))
      store.expect { $0.isLoading = true }
      store.expect(.begun("pause"))
      await store.expect(.settled("pause"), after: .milliseconds(300))
      store.expect { $0.count = 1 }
      #expect(store.count == 1)
    }
  }

  @Test("Snippet 2 of AssertingOnEffects.md yields what its comments say") func snippet2() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      let search = CounterStore.Effect.concatenate(.sleep(.milliseconds(300)), .set { $0.count += 1 }).id("search")
      store.receive(search)
      store.expect(.begun("search"))
      await simulation.clock.advance(by: .milliseconds(100))
      store.receive(search)
      store.expect(.cancelled("search"), .begun("search"), at: .milliseconds(100))
      store.expectDue("search", at: .milliseconds(400))
      await store.expect(.settled("search"), after: .milliseconds(300))
      store.expect { $0.count = 1 }
      #expect(store.count == 1)
    }
  }

  @Test("Snippet 3 of AssertingOnEffects.md yields what its comments say") func snippet3() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      let slow = CounterStore.Effect.task {
        try await simulation.clock.sleep(for: .seconds(10))
        return .none
      }
      store.receive(slow.label("fetch").timeout(.seconds(5), else: .set(\.message, to: "too slow")))
      store.expect(.begun("fetch"))
      await store.expect(.cancelled("fetch"), after: .seconds(5))
      store.expect { $0.message = "too slow" }
      await simulation.settle()
      store.expect(.failed("fetch"))
      let failing = CounterStore.Effect.task { throw UserService.Unavailable() }
      store.receive(failing.label("send").recover { _ in .set(\.message, to: "try later") })
      await simulation.settle()
      store.expect(.begun("send"), .recovered("send"))
      store.expect { $0.message = "try later" }
      #expect(store.message == "try later")
    }
  }

  @Test("Snippet 4 of AssertingOnEffects.md yields what its comments say") func snippet4() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      let load: @Sendable (Int) -> CounterStore.Effect = { number in
        .task {
          try await simulation.clock.sleep(for: .seconds(number))
          return .set { $0.count += 1 }
        }.id("load \(number)")
      }
      store.receive(.merge(effects: (1...3).map(load), limit: 2))
      store.expectInFlight("load 1", "load 2")
      await simulation.clock.run()
      store.expectAtMost(2, inFlight: .any)
      store.expect(.begun("load 1"), .begun("load 2"), .begun("load 3"))
      for count in 1...3 { store.expect { $0.count = count } }
      store.expectInFlight()
      #expect(store.count == 3)
    }
  }

  @Test("Snippet 5 of AssertingOnEffects.md yields what its comments say") func snippet5() async throws {
    struct Draft: Model, Equatable {
      enum Action: Sendable { case edit(String), saved }
      var text = ""
      var isSaved = true

      static func update(_ state: inout Draft, _ action: Action) -> Effect {
        switch action {
        case .edit(let text):
          (state.text, state.isSaved) = (text, false)
          return .send(.saved).debounce(for: .seconds(1), id: "save")
        case .saved:
          state.isSaved = true
          return .none
        }
      }
    }

    try await simulate { simulation in
      let store = simulation.testStore(Draft(), env: ())
      store.store.send(.edit("tea"))
      store.expect { ($0.text, $0.isSaved) = ("tea", false) }
      store.expect(.begun("save"))
      await store.expect(.settled("save"), after: .seconds(1))
      store.expect { $0.isSaved = true }
      #expect(store.text == "tea")
    }
  }

  @Test("Snippet 6 of AssertingOnEffects.md yields what its comments say") func snippet6() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service, exhaustivity: .off)
      await store.store.run(.perform { env in .set(\.items, to: try await env.items()) })
      store.expect { $0.items = ["one", "two"] }
      #expect(store.items.count == 2)
    }
  }
}
