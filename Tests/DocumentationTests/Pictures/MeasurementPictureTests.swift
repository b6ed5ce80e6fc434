import Testing

@Suite("Pictures of measurements")
struct MeasurementPictureTests {
  @Test("The picture of instructions shows the committed table")
  func instructions() throws {
    let words = [
      "P1a": "receive(.set { … })", "P1b": "receive(.set(\\.count, to:))", "P2": "a task that commits",
      "P3": "a task in place of another", "P4": "a task of a merge", "P5a": "a set of a list, made and received",
      "P5c": "a task of a concatenate", "P6": "a sleep and a set", "P7a": "a debounce restarted",
      "P7b": "a timeout restarted", "P9a/1": "a change told to one bound store",
      "P9a/100": "the same, for each of 100", "P11": "a store made, used and dropped",
      "P12b": "a task that returns a task", "C1": "a client's set", "C3": "a client's awaited set",
      "C4": "a client's task",
    ]
    let table = try MeasuredTable("instructions")
    let rows = try table.rows.compactMap { cells -> InstructionChart.Row? in
      guard let text = words[cells[0]] else { return nil }
      let allocations = try #require(Double(cells[2]))
      let byHand = Int(cells[3])
      #expect((byHand == nil) == (cells[3] == "-"))
      return InstructionChart.Row(
        name: cells[0], words: text, ours: try #require(Int(cells[1])), allocations: "\(Int(allocations.rounded()))",
        byHand: byHand)
    }
    #expect(Set(rows.map(\.name)) == Set(words.keys))
    try PictureFile("Instructions", of: "AsyncStore").check { InstructionChart(rows: rows).svg($0) }
  }

  @Test("The picture of growth shows the committed table")
  func growth() throws {
    let titles = [
      ("P1a", "a set"), ("P5a", "a set of a list"), ("P2", "a task that commits"), ("P4", "a task of a merge"),
      ("P9a", "a bound store, told"), ("R1", "a store of a ring"), ("O1", "a tracked read"),
      ("L1/list", "an effect listed"), ("L2", "an effect cancelled by prefix"),
    ]
    let table = try MeasuredTable("growth")
    let panels = try titles.map { name, title in
      let points = try table.rows.filter { $0[0] == name }.map { cells in
        (try #require(Int(cells[1])), try #require(Double(cells[2])), try #require(Double(cells[3])))
      }
      #expect(points.count > 2, "\(name) has too few sizes")
      return GrowthChart.Panel(title: title, points: points)
    }
    try PictureFile("Growth", of: "AsyncStore").check { GrowthChart(machine: table.head, panels: panels).svg($0) }
  }
}
