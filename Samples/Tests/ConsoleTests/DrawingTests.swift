import Console
import Testing

@Suite("A bar")
struct BarTests {
  @Test(
    "A bar is as long as its share, to an eighth of a character",
    arguments: [
      (0, "    "), (0.25, "█   "), (0.375, "█▌  "), (0.5, "██  "), (0.99, "████"), (1, "████"), (1.5, "████"),
      (-1, "    "), (.nan, "    "),
    ] as [(Double, String)]
  )
  func draw(share: Double, bar: String) {
    #expect(Bar.draw(share, width: 4) == bar)
  }

  @Test("A bar without room is empty")
  func narrow() {
    #expect(Bar.draw(1, width: 0) == "")
    #expect(Bar.draw(1, width: -1) == "")
  }
}

@Suite("Units")
struct UnitsTests {
  @Test(
    "Bytes are written in the largest unit that fits",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_188, "9.9 KiB"), (10_189, "10 KiB"),
      (1_048_064, "1.0 MiB"), (25_276_510_208, "24 GiB"), (1.2e30, "1040834085586 EiB"), (.infinity, "?"), (.nan, "?"),
    ] as [(Double, String)]
  )
  func bytes(amount: Double, text: String) {
    #expect(Units.bytes(amount) == text)
  }

  @Test("Shares are written in whole percentages, and load averages with two decimals")
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

@Suite("A frame")
struct FrameTests {
  @Test("Each frame is drawn over the last one, however many lines that had")
  func frames() {
    var frame = Frame()
    #expect(frame.redraw(["a", "b"]) == "\ra\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
    #expect(frame.redraw(["c"]) == "\u{1B}[2A\rc\u{1B}[K\n\u{1B}[J")
    #expect(frame.redraw([]) == "\u{1B}[1A\r\u{1B}[J")
    #expect(frame.redraw(["d"]) == "\rd\u{1B}[K\n\u{1B}[J")
  }
}

@Suite("Text from elsewhere")
struct FittedTextTests {
  @Test("Printable text lets no control character through to the terminal")
  func control() {
    #expect("a\u{1B}[2Jb\r\nc\n".printable == "a?[2Jb?c?")
    #expect("plain".printable == "plain")
  }

  @Test("Fitted text that is too long is cut and ends in an ellipsis")
  func cut() {
    #expect("processor".fitted(width: 9) == "processor")
    #expect("processor".fitted(width: 8) == "process…")
    #expect("processor".fitted(width: 1) == "…")
    #expect("processor".fitted(width: 0) == "")
  }
}
