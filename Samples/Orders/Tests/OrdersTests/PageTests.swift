import Testing

@testable import Orders

@Suite("The page")
struct PageTests {
  @Test("names only files that are there")
  func files() throws {
    let page = try #require(PageFile.all.first { $0.path == "/" })
    for name in ["board.css", "board.js"] {
      #expect(page.text.contains("\"\(name)\""))
      #expect(PageFile.all.contains { $0.path == "/\(name)" })
    }
  }
}
