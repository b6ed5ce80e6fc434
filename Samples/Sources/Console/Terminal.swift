#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An output of the process, which may be a terminal.
package struct Terminal: Sendable {
  private let descriptor: Int32

  package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
  package static let standardError = Terminal(descriptor: STDERR_FILENO)

  /// True if it is a terminal, and not a pipe or a file.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The current size of its window, or that of the classic terminal if it has none.
  package var size: (columns: Int, lines: Int) {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// Writes all of the text; anything that the other side no longer takes is lost.
  package func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Somebody made the output non-blocking, perhaps a program that shares the terminal.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}

/// Calls the system's `write`, under a name that the method of the same name does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
