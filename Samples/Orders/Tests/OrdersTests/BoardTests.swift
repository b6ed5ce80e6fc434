import AsyncStoreTesting
import Testing

@testable import Orders

@Suite("The board")
struct BoardTests {
  @Test("The board shows its newest event, whichever of two is written first", .explored(.exhaustive()))
  func newestEvent() async throws {
    let simulation = try #require(Simulation.current)
    let board = simulation.store(Board(), env: ())
    for cents in 1...2 { board.receive(.concatenate(.set { $0.till = Till(captured: cents) }, .render)) }
    await simulation.settle()
    #expect(board.event.json.contains(#""captured":2"#))
  }
}
