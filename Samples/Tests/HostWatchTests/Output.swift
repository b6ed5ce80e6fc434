import Foundation
import Synchronization

@testable import HostWatch

/// Collects the text that a display writes.
final class Output: Sendable {
  private let written = Mutex<[String]>([])

  /// Each piece as it was written.
  var pieces: [String] { written.withLock { $0 } }

  var text: String { pieces.joined() }

  func display(_ style: Display.Style) -> Display {
    Display(
      style: style,
      size: { (80, 24) },
      date: { Date(timeIntervalSince1970: 0) },
      write: { piece in self.written.withLock { $0.append(piece) } }
    )
  }
}
