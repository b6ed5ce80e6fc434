import Testing

@Suite("Pictures drawn by hand")
struct DrawnPictureTests {
  @Test("The dark version of a picture drawn by hand has the shapes of the light one", arguments: ["MachineAndShell"])
  func darkIsLight(name: String) throws {
    let file = PictureFile(name, of: "AsyncStore")
    let light = try file.light()
    let (from, to) = (PictureColors.light, PictureColors.dark)
    try file.check { colors in
      guard colors == .dark else { return light }
      return [(from.ink, to.ink), (from.faint, to.faint), (from.accent, to.accent), (from.fault, to.fault)]
        .reduce(light) { $0.replacing($1.0, with: $1.1) }
    }
  }
}
