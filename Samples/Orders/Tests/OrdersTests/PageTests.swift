import Testing

@testable import Orders

@Suite("The page")
struct PageTests {
  @Test("The page names its style sheet and its script, and both exist")
  func files() throws {
    let page = try #require(PageFile.all.first { $0.path == "/" })
    for name in ["board.css", "board.js"] {
      #expect(page.text.contains("\"\(name)\""))
      #expect(PageFile.all.contains { $0.path == "/\(name)" })
    }
  }
}
