import Foundation
import Synchronization

@testable import HostWatch

/// What a display has written.
final class Output: Sendable {
  /// Each piece as it was written, for one reader.
  let pieces: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let written = Mutex("")

  init() {
    (pieces, continuation) = AsyncStream.makeStream()
  }

  var text: String { written.withLock { $0 } }

  func display(_ style: Display.Style) -> Display {
    Display(
      style: style,
      size: { (80, 24) },
      date: { Date(timeIntervalSince1970: 0) },
      write: { piece in
        self.written.withLock { $0 += piece }
        self.continuation.yield(piece)
      }
    )
  }
}
