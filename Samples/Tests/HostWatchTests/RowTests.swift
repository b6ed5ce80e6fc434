import Testing

@testable import HostWatch

@Suite("A row of the display")
struct RowTests {
  @Test("A row gives its drawing the room between the label and the text")
  func layout() {
    let row = Row(label: "memory", drawing: .bar(0.5), text: "12 GiB free of 24 GiB")
    #expect(row.line(width: 60) == "memory        ██████████            12 GiB free of 24 GiB")
  }

  @Test("A row is never longer than the terminal is wide", arguments: 0...200)
  func fits(width: Int) {
    let rows = [
      Row(label: "/a/very/long/mount/point", drawing: .bar(1), text: "much text, more than there is room for"),
      Row(label: "processor", drawing: .sparkline([0.5, 1], ceiling: 1), text: "100%"),
      Row(label: "alerts", text: "processor busy, memory short, swapping, overloaded"),
    ]
    for row in rows { #expect(row.line(width: width).count <= width) }
  }

  @Test("A row cuts what does not fit and marks the cut with an ellipsis")
  func cut() {
    #expect(Row(label: "/mnt/archive/old", text: "").line(width: 80) == "/mnt/archive… ")
    #expect(Row(label: "alerts", text: "processor busy").line(width: 20) == "alerts        proce…")
  }

  @Test("A row lets no control character through to the terminal")
  func control() {
    #expect(Row(label: "a\u{1B}[2Jb\r\nc", text: "\n").line(width: 20) == "a?[2Jb?c      ?")
  }
}
