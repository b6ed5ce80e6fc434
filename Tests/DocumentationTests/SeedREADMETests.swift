import AsyncStore
import Testing

// The examples of the original AsyncStore's README, without its SwiftUI views, in the shapes that it documents.

// MARK: 1.1 Anatomy of an AsyncStore

struct User: Equatable {
  let name: String
}

struct Credentials {
  let userName: String
  let password: String
}

struct AuthenticationError: Error {}

struct Dialog: Equatable {
  let message: String

  static func loginFailed(_ error: AuthenticationError) -> Dialog { Dialog(message: "login failed") }
}

struct UserState {
  var user: User? = .none
  var errorDialog: Dialog? = .none

  // For the later examples of the README.
  var isLoading = false
  var locations: [String] = []
  var photos: [String] = []
  var favorites: [String] = []
  var sections: [String] = []
  var data: String? = .none
  var cancelledLoads = 0
  var searchText = ""
  var searches: [String] = []
  var steps = 0
  var isAppReady = false
}

struct AuthService {
  func authenticate(userName: String, password: String) async throws -> User {
    if password != "secret" { throw AuthenticationError() }
    return User(name: userName)
  }

  func logout() async throws {}
}

struct HealthKitService {
  enum Event { case step }

  private let events = AsyncStream.makeStream(of: Event.self)

  func stream() -> AsyncStream<Event> { events.stream }
  func step() { events.continuation.yield(.step) }
}

struct UserEnvironment {
  let authService = AuthService()
  let healthKitService = HealthKitService()
  let gate = Gate()
}

typealias UserStore = AsyncStore<UserState, UserEnvironment>

extension UserStore {
  convenience init(_ state: UserState = .init()) {
    self.init(
      state: state,
      env: .init(),
      mapError: ErrorHandler().mapError
    )
  }
}

// MARK: Public API

extension UserStore {
  func login(_ credentials: Credentials) {
    receive(.dataTask(credentials, loginTask))
  }

  func logout() {
    receive(.task(logoutTask))
  }
}

// MARK: Private API (Tasks, Effect mapping, etc..)

// swift-format-ignore: NoAccessLevelOnExtensionDeclaration, FileScopedDeclarationPrivacy
fileprivate extension UserStore {
  func loginTask(_ credentials: Credentials) async throws -> Effect {
    let user = try await env.authService.authenticate(
      userName: credentials.userName,
      password: credentials.password
    )

    return .set(\.user, to: user)
  }

  func logoutTask() async throws -> Effect {
    try await env.authService.logout()
    return .set(\.user, to: .none)
  }
}

// MARK: Error Handling

// swift-format-ignore: NoAccessLevelOnExtensionDeclaration, FileScopedDeclarationPrivacy
fileprivate extension UserStore {
  struct ErrorHandler {
    func mapError(_ error: Error) -> Effect {
      switch error {
      case let authError as AuthenticationError:
        return .set(\.errorDialog, to: .loginFailed(authError))
      case is CancellationError:
        return .set { $0.cancelledLoads += 1 }
      default:
        return .none
      }
    }
  }
}

// MARK: 2.1 Effect Composition

extension UserStore {
  func initializeApp() {
    receive(
      .concatenate(
        .set(\.isLoading, to: true),
        .merge(
          .task(loadLocationsTask),
          .task(loadPhotosTask),
          .task(loadFavoritesTask)
        ),
        .task(buildSectionsTask),
        .set(\.isLoading, to: false)
      )
    )
  }

  private func loadLocationsTask() async throws -> Effect {
    try await env.gate.pass()
    return .set(\.locations, to: ["Paris"])
  }

  private func loadPhotosTask() async throws -> Effect { .set(\.photos, to: ["Dog"]) }
  private func loadFavoritesTask() async throws -> Effect { .append("Tea", to: \.favorites) }

  private func buildSectionsTask() async throws -> Effect {
    .set(\.sections, to: self.locations + self.photos + self.favorites)
  }
}

// MARK: 2.2 Task Cancellation

/// Called through a protocol, for `loadData` is deprecated as the shape that it calls is.
private protocol Loading {
  func loadData()
}

extension AsyncStore: Loading where State == UserState, Env == UserEnvironment {
  @available(*, deprecated)
  func loadData() {
    receive(.task(operation: longRunningTask, id: "CancelTask"))
  }
}

extension UserStore {

  func cancelLoad() {
    receive(.cancel("CancelTask"))
  }

  private func longRunningTask() async throws -> Effect {
    try await env.gate.pass()
    return .set(\.data, to: "loaded")
  }
}

// MARK: 3. Bindings

struct AppState {
  var isInitialized = false
}

typealias AppStore = AsyncStore<AppState, Void>

extension UserStore {
  convenience init(_ state: UserState = .init(), env: UserEnvironment) {
    self.init(state: state, env: env, mapError: ErrorHandler().mapError)

    // MARK: Bind to KeyPath
    bind(
      id: "UserStore.searchText",
      to: \.searchText,
      mapEffect: mapSearchTextToEffect
    )

    // MARK: Bind to AsyncSequence
    bind(
      id: "UserStore.HealthKitService",
      stream: env.healthKitService.stream(),
      mapEffect: mapHealthKitEventToEffect
    )
  }

  // MARK: Bind to another AsyncStore
  func bind(to appStore: AppStore) {
    bind(
      id: "UserStore.AppStore.isInitialized",
      to: appStore,
      on: \.isInitialized,
      mapEffect: mapIsAppInitializedToEffect
    )
  }

  // MARK: Remove Bindings
  func unbind() {
    let cancelEffects = [
      "UserStore.searchText",
      "UserStore.HealthKitService",
      "UserStore.AppStore.isInitialized",
    ].map { id in Effect.cancel(id) }
    receive(.merge(effects: cancelEffects))
  }

  private func mapSearchTextToEffect(_ text: String) -> Effect {
    text.isEmpty ? .none : .append(text, to: \.searches)
  }

  private func mapHealthKitEventToEffect(_ event: HealthKitService.Event) -> Effect {
    .set { $0.steps += 1 }
  }

  private func mapIsAppInitializedToEffect(_ isInitialized: Bool) -> Effect {
    .set(\.isAppReady, to: isInitialized)
  }
}

// MARK: 4. Creating a Single Source of Truth

struct SSOT {
  let appStore = AppStore(state: AppState(), env: ())
  let userStore = UserStore()

  init() {
    userStore.bind(to: appStore)
  }
}

// MARK: - Tests

@Suite("The original README", .timeLimit(.minutes(10)))
struct SeedREADMETests {
  private let credentials = Credentials(userName: "Ada", password: "secret")

  @Test("The store of the original README logs a user in and out")
  func loginAndLogout() async throws {
    let userStore = UserStore()
    userStore.login(credentials)
    try await userStore.wait(for: \.user, toEqual: User(name: "Ada"))
    userStore.logout()
    try await userStore.wait(for: \.user, toEqual: .none)
    #expect(userStore.errorDialog == .none)
  }

  @Test("A store maps an error of a task to an effect")
  func errorHandling() async throws {
    let userStore = UserStore()
    userStore.login(Credentials(userName: "Ada", password: "guess"))
    try await userStore.wait(for: \.errorDialog, toEqual: Dialog(message: "login failed"))
    #expect(userStore.user == .none)
  }

  @Test("A composed effect builds the sections when all three loads have settled")
  func composition() async throws {
    let userStore = UserStore()
    userStore.initializeApp()
    #expect(userStore.isLoading)
    try await userStore.wait(for: \.photos, toEqual: ["Dog"])
    try await userStore.wait(for: \.favorites, toEqual: ["Tea"])
    #expect(userStore.sections == [])
    userStore.env.gate.open()
    try await userStore.wait(for: \.isLoading, toEqual: false)
    #expect(userStore.sections == ["Paris", "Dog", "Tea"])
  }

  @Test("A store cancels a task by its identifier and calls `mapError` once")
  func cancellation() async throws {
    let userStore = UserStore()
    (userStore as any Loading).loadData()
    await userStore.env.gate.arrival()
    userStore.cancelLoad()
    userStore.env.gate.open()
    try await userStore.wait(for: \.cancelledLoads, toEqual: 1)
    try await userStore.shutdown(drain: .zero)
    #expect(userStore.cancelledLoads == 1)
    #expect(userStore.data == .none)
  }

  @Test("A new task cancels what is in flight under its identifier")
  func sameIdentifierAgain() async throws {
    let userStore = UserStore()
    (userStore as any Loading).loadData()
    await userStore.env.gate.arrival()
    (userStore as any Loading).loadData()
    try await userStore.wait(for: \.cancelledLoads, toEqual: 1)
    #expect(userStore.data == .none)
    userStore.env.gate.open()
    try await userStore.wait(for: \.data, toEqual: "loaded")
    #expect(userStore.cancelledLoads == 1)
  }

  @Test("A store binds to its own key path")
  func keyPathBinding() {
    let userStore = UserStore(env: UserEnvironment())
    userStore.receive(.set(\.searchText, to: "swift"))
    userStore.receive(.set(\.searchText, to: "swift"))
    userStore.receive(.set(\.searchText, to: "effects"))
    #expect(userStore.searches == ["swift", "effects"])
    userStore.deactivate()
  }

  @Test("A store binds to an asynchronous sequence")
  func sequenceBinding() async throws {
    let userStore = UserStore(env: UserEnvironment())
    userStore.env.healthKitService.step()
    userStore.env.healthKitService.step()
    try await userStore.wait(for: \.steps, toEqual: 2)
    userStore.deactivate()
  }

  @Test("A store binds to another store, the single source of truth")
  func storeBinding() {
    let ssot = SSOT()
    let second = UserStore()
    second.bind(to: ssot.appStore)
    #expect(!ssot.userStore.isAppReady)
    ssot.appStore.receive(.set(\.isInitialized, to: true))
    #expect(ssot.userStore.isAppReady)
    #expect(second.isAppReady)
    second.unbind()
    ssot.userStore.unbind()
  }

  @Test("A store unbinds by cancelling its bindings in one merge")
  func unbinding() async throws {
    let appStore = AppStore(state: AppState(), env: ())
    let userStore = UserStore(env: UserEnvironment())
    userStore.bind(to: appStore)
    userStore.env.healthKitService.step()
    try await userStore.wait(for: \.steps, toEqual: 1)

    userStore.unbind()
    userStore.receive(.set(\.searchText, to: "swift"))
    userStore.env.healthKitService.step()
    appStore.receive(.set(\.isInitialized, to: true))
    try await userStore.shutdown(drain: .zero)
    #expect(userStore.searches == [])
    #expect(userStore.steps == 1)
    #expect(!userStore.isAppReady)
  }

  @Test("A deactivated store does nothing, and its activation revives no binding")
  func activation() async throws {
    let userStore = UserStore(env: UserEnvironment())
    #expect(userStore.isActive)
    (userStore as any Loading).loadData()
    await userStore.env.gate.arrival()
    userStore.deactivate()
    userStore.env.gate.open()
    userStore.receive(.set(\.searchText, to: "swift"))
    #expect(!userStore.isActive)
    #expect(userStore.searchText == "")

    userStore.activate()
    #expect(userStore.isActive)
    userStore.receive(.set(\.searchText, to: "swift"))
    #expect(userStore.searchText == "swift")
    #expect(userStore.searches == [])
    try await userStore.shutdown(drain: .zero)
    #expect(userStore.data == .none)
    #expect(userStore.cancelledLoads == 0)
  }

  @Test("The effects of the original README take times in seconds")
  func effectsInSeconds() async throws {
    let userStore = UserStore()
    userStore.receive(.none)
    userStore.receive(.timer(0.001, id: "timer", mapEffect: { _ in .set { $0.steps += 1 } }))
    try await userStore.wait(for: \.steps, toSatisfy: { $0 >= 2 })
    userStore.receive(.cancel("timer"))
    #expect(userStore.inFlight.isEmpty)

    let search: @Sendable () async throws -> UserStore.Effect = { .append("swift", to: \.searches) }
    userStore.receive(.debounce(search, for: 0.001, id: "search"))
    await userStore.run(
      .concatenate(
        .sleep(0.001),
        .insert("first", into: \.sections, at: 0),
        .append("last", to: \.sections),
        .remove(from: \.sections, at: 0),
        .join("search")
      ))
    #expect(userStore.searches == ["swift"])
    #expect(userStore.sections == ["last"])
    userStore.receive(.merge(.removeFirst(from: \.searches), .removeLast(from: \.sections)))
    #expect(userStore.searches == [])
    #expect(userStore.sections == [])
  }

  @Test("A deactivated store is released although its bindings map by its own methods")
  func memoryManagement() {
    let appStore = AppStore(state: AppState(), env: ())
    weak var transientStore: UserStore?
    do {
      let userStore = UserStore()
      userStore.bind(to: appStore)
      transientStore = userStore
      userStore.deactivate()
    }
    #expect(transientStore == nil)
  }
}
