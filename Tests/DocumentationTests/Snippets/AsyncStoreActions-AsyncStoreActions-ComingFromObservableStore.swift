// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromObservableStore.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromObservableStore.md")
struct AsyncStoreActionsAsyncStoreActionsComingFromObservableStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ComingFromObservableStore.md yields what its comments say") func snippet1() {
    struct AppModel: Model {
      enum Action: Sendable { case increment }
      var count = 0

      static func update(_ state: inout AppModel, _ action: Action) -> Effect {
        switch action {
        case .increment:
          state.count += 1
          return .none
        }
      }
    }

    let app = StoreOf<AppModel>(state: AppModel(), env: ())
    app.send(.increment)
    #expect(app.count == 1)
  }

  @Test("Snippet 2 of ComingFromObservableStore.md yields what its comments say") func snippet2() async throws {
    struct Session: Model {
      enum Action: Sendable { case authenticate, authenticated(String), rejected }
      typealias Environment = UserService
      var user: String?

      static func update(_ state: inout Session, _ action: Action) -> Effect {
        switch action {
        case .authenticate:
          return .perform { service in .send(.authenticated(try await service.user())) }
            .recover { _ in .send(.rejected) }
        case .authenticated(let user): state.user = user
        case .rejected: state.user = nil
        }
        return .none
      }
    }

    let session = StoreOf<Session>(state: Session(), env: service)
    await session.run(.authenticate)
    #expect(session.user == "Ada")
  }

  @Test("Snippet 3 of ComingFromObservableStore.md yields what its comments say") func snippet3() {
    struct Parent: Model {
      enum Action: Sendable { case counter(Tally.Action) }
      var counter = Tally()

      static func update(_ state: inout Parent, _ action: Action) -> Effect {
        switch action {
        case .counter(let action): update(Part(\.counter), of: &state, action, as: Action.counter)
        }
      }
    }

    let parent = StoreOf<Parent>(state: Parent(), env: ())
    let child = parent.scope(\.counter, actions: Parent.Action.counter)
    child.send(.increment)
    #expect(parent.counter.count == 1)
  }
}
