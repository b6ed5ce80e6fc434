/// The colors of a picture on a light or a dark page.
struct PictureColors: CaseIterable, Equatable {
  let ink: String
  let faint: String
  let accent: String
  let fault: String

  static let light = PictureColors(ink: "#1d1d1f", faint: "#86868b", accent: "#0071e3", fault: "#d70015")
  static let dark = PictureColors(ink: "#f5f5f7", faint: "#98989d", accent: "#2997ff", fault: "#ff6961")
  static let allCases = [light, dark]
}
