/// A file of the page, which is part of the program.
struct PageFile: Sendable {
  let path: String
  let type: String
  let text: String

  static let all = [
    PageFile(
      path: "/", type: "text/html; charset=utf-8", text: String(decoding: PackageResources.index_html, as: UTF8.self)),
    PageFile(
      path: "/board.css", type: "text/css; charset=utf-8",
      text: String(decoding: PackageResources.board_css, as: UTF8.self)),
    PageFile(
      path: "/board.js", type: "text/javascript; charset=utf-8",
      text: String(decoding: PackageResources.board_js, as: UTF8.self)),
  ]
}
