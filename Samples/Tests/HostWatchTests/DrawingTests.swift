import Testing

@testable import HostWatch

@Suite("A sparkline")
struct SparklineTests {
  @Test("A sparkline rises with its values up to its ceiling")
  func levels() {
    let values = [0, 0.124, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 7]
    #expect(Sparkline.draw(values, ceiling: 1, width: 11) == "▁▁▂▃▄▅▆▇███")
  }

  @Test("A sparkline without a ceiling is scaled to its greatest value")
  func scaled() {
    #expect(Sparkline.draw([500, 1000], width: 2) == "▅█")
    #expect(Sparkline.draw([0, 0], width: 2) == "▁▁")
  }

  @Test("A sparkline shows the newest values at the right end")
  func newest() {
    #expect(Sparkline.draw([1, 1, 0, 1], ceiling: 1, width: 2) == "▁█")
    #expect(Sparkline.draw([1], ceiling: 1, width: 4) == "   █")
    #expect(Sparkline.draw([], width: 3) == "   ")
    #expect(Sparkline.draw([1], width: 0) == "")
    #expect(Sparkline.draw([1], width: -5) == "")
  }

  @Test("A sparkline accepts values that are infinite, negative or not a number")
  func nonsense() {
    #expect(Sparkline.draw([.nan, .infinity, -1], ceiling: 1, width: 3) == "▁█▁")
    #expect(Sparkline.draw([.infinity, 1], width: 2).count == 2)
  }
}

@Suite("A history")
struct HistoryTests {
  @Test("A history keeps the newest values, up to its capacity")
  func bounded() {
    var history = History(capacity: 3)
    for value in 1...5 { history.append(Double(value)) }
    #expect(history.values == [3, 4, 5])
  }
}
