// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/SwiftUI.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import SwiftUI

struct Catalog: Sendable {
  var query = ""
  var titles: [String] = []
  var isLoading = false
  var isSorted = false
}

struct CatalogSource: Sendable {
  var titles: @Sendable (_ query: String) async throws -> [String]
}

typealias CatalogStore = AsyncStore<Catalog, CatalogSource>

extension CatalogStore.Effect {
  static func search(_ query: String) -> Self {
    .concatenate(
      .sleep(.milliseconds(300)),
      .set(\.isLoading, to: true),
      .perform { source in .set(\.titles, to: try await source.titles(query)) }
    )
    .finally(.set(\.isLoading, to: false))
    .id("search", .replaceAfterCleanup)
  }
}

extension CatalogStore {
  static func forViews(_ source: CatalogSource) -> CatalogStore {
    CatalogStore(state: Catalog(), env: source, isolation: MainActor.shared)
  }
}

struct CatalogView: View {
  @State private var store: CatalogStore

  init(source: CatalogSource) { _store = State(initialValue: .forViews(source)) }

  var body: some View {
    VStack {
      TextField("Search", text: store.binding(for: \.query))
      if store.isLoading { ProgressView() }
      TitleList(store: store)
    }
    .onChange(of: store.query) { _, query in store.receive(.search(query)) }
  }
}

struct TitleList: View {
  let store: CatalogStore

  var body: some View {
    ForEach(store.titles, id: \.self) { title in Text(title) }
  }
}

extension CatalogStore {
  @MainActor
  var isSortedBinding: Binding<Bool> {
    Binding(
      get: { self.isSorted },
      set: { @MainActor isSorted in
        self.receive(
          .set { catalog in
            catalog.isSorted = isSorted
            if isSorted { catalog.titles.sort() }
          })
      })
  }
}

struct SortToggle: View {
  let store: CatalogStore

  var body: some View {
    Toggle("Sorted", isOn: store.isSortedBinding)
  }
}

extension CatalogStore {
  func searchWhileTyping() {
    bind(id: "query", to: \.query) { query in .search(query) }
  }
}

struct TitlesView: View {
  let store: CatalogStore

  var body: some View {
    TitleList(store: store)
      .task { await store.run(.search("")) }
  }
}

struct ClearButton: View {
  let store: CatalogStore

  var body: some View {
    Button("Clear in a second") {
      store.receive(.concatenate(.sleep(.seconds(1)), .set(\.titles, to: [])).animation(.default))
    }
  }
}

extension CatalogStore {
  func show(_ shared: CatalogStore) {
    bind(id: "shared titles", to: shared, on: \.titles) { titles in .set(\.titles, to: titles) }
  }
}

extension CatalogSource {
  static let preview = CatalogSource { query in ["Emma", "Persuasion"].filter { query.isEmpty || $0.contains(query) } }
}

struct CatalogPreviews: PreviewProvider {
  static var previews: some View {
    CatalogView(source: .preview)
    TitleList(store: CatalogStore(state: Catalog(titles: ["Emma"]), env: .preview, isolation: MainActor.shared))
  }
}
