import Console
import Foundation
import Synchronization
import Testing

@testable import HostWatch

@Suite("The display")
struct DisplayTests {
  @Test("The display hides the cursor of a terminal and shows it again at the end")
  func cursor() async throws {
    let output = Output()
    let display = output.display(.frames)
    await display.open()
    try await display.show(Dashboard())
    await display.close()
    #expect(output.text.hasPrefix(Frame.hideCursor + "\r"))
    #expect(output.text.hasSuffix("\u{1B}[J" + Frame.showCursor))
  }

  @Test(
    "The display writes a line without escape sequences each time it is shown", arguments: [Display.Style.lines, .json])
  func lines(style: Display.Style) async throws {
    let output = Output()
    let display = output.display(style)
    await display.open()
    for _ in 1...3 { try await display.show(DashboardTextTests.full) }
    await display.close()
    #expect(output.text.count { $0 == "\n" } == 3)
    #expect(output.text.hasSuffix("\n"))
    #expect(!output.text.contains("\u{1B}"))
    #expect(output.text.contains("1970-01-01T00:00:00Z"))
  }
}
