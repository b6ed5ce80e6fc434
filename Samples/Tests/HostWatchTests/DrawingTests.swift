import Testing

@testable import HostWatch

@Suite("A sparkline")
struct SparklineTests {
  @Test("rises with its values up to its ceiling")
  func levels() {
    let values = [0, 0.124, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 7]
    #expect(Sparkline.draw(values, ceiling: 1, width: 11) == "▁▁▂▃▄▅▆▇███")
  }

  @Test("without a ceiling reaches it with its greatest value")
  func scaled() {
    #expect(Sparkline.draw([500, 1000], width: 2) == "▅█")
    #expect(Sparkline.draw([0, 0], width: 2) == "▁▁")
  }

  @Test("shows the newest values at the right end")
  func newest() {
    #expect(Sparkline.draw([1, 1, 0, 1], ceiling: 1, width: 2) == "▁█")
    #expect(Sparkline.draw([1], ceiling: 1, width: 4) == "   █")
    #expect(Sparkline.draw([], width: 3) == "   ")
    #expect(Sparkline.draw([1], width: 0) == "")
    #expect(Sparkline.draw([1], width: -5) == "")
  }

  @Test("survives numbers that are none")
  func nonsense() {
    #expect(Sparkline.draw([.nan, .infinity, -1], ceiling: 1, width: 3) == "▁█▁")
    #expect(Sparkline.draw([.infinity, 1], width: 2).count == 2)
  }
}

@Suite("A bar")
struct BarTests {
  @Test(
    "is as long as its share, to an eighth of a character",
    arguments: [
      (0, "    "), (0.25, "█   "), (0.375, "█▌  "), (0.5, "██  "), (0.99, "████"), (1, "████"), (1.5, "████"),
      (-1, "    "), (.nan, "    "),
    ] as [(Double, String)]
  )
  func draw(share: Double, bar: String) {
    #expect(Bar.draw(share, width: 4) == bar)
  }

  @Test("may have no room")
  func narrow() {
    #expect(Bar.draw(1, width: 0) == "")
    #expect(Bar.draw(1, width: -1) == "")
  }
}

@Suite("Units")
struct UnitsTests {
  @Test(
    "give bytes in the largest unit that fits",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_188, "9.9 KiB"), (10_189, "10 KiB"),
      (1_048_064, "1.0 MiB"), (25_276_510_208, "24 GiB"), (1.2e30, "1040834085586 EiB"), (.infinity, "?"), (.nan, "?"),
    ] as [(Double, String)]
  )
  func bytes(amount: Double, text: String) {
    #expect(Units.bytes(amount) == text)
  }

  @Test("give shares in whole percentages and load averages with two decimals")
  func numbers() {
    #expect(Units.percentage(0.126) == "13%")
    #expect(Units.percentage(1) == "100%")
    #expect(Units.percentage(.nan) == "?")
    #expect(Units.load(0.04) == "0.04")
    #expect(Units.load(12.5) == "12.50")
    #expect(Units.load(1e300) == "?")
    #expect(Units.rate(2048) == "2.0 KiB/s")
  }
}

@Suite("A history")
struct HistoryTests {
  @Test("keeps the newest values, as many as it has room for")
  func bounded() {
    var history = History(capacity: 3)
    for value in 1...5 { history.append(Double(value)) }
    #expect(history.values == [3, 4, 5])
  }
}
