import Foundation

/// The output streams of the program.
enum StandardStreams {
  /// Occupies the streams that the program was started without.
  ///
  /// Otherwise the next files to be opened would be these streams, and answers would go into the books. To read or to
  /// write them fails, as where there are none.
  static func occupyClosed() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
      // A new file gets the lowest number that is free.
      if fcntl(stream, F_GETFD) == -1 { _ = open("/dev/null", mode) }
    }
  }

  /// Writes to the standard output, at once, with no control characters but line breaks.
  static func write(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.printable.utf8))
    } catch {
      throw LedgerError(.inaccessible, "The standard output can't be written: \(error)")
    }
  }

  /// Writes the answer to a command that has been carried out.
  ///
  /// If the answer can't be written, the error says that it was.
  ///
  /// - Parameter deed: the sentence on what is done.
  static func write(_ answer: String, onDoing deed: String) throws {
    do {
      try write(answer)
    } catch {
      throw LedgerError(.untold, "This was done, and the standard output can't be written to say so: \(deed)")
    }
  }

  /// Writes to the standard error; a failure is ignored, because there is nobody to tell.
  static func writeError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.printable.utf8))
  }

  /// Returns a line for a value, as JSON.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return json(try encoder.encode(value)) + "\n"
  }

  /// Returns JSON as text, with its control characters escaped.
  static func json(_ data: Data) -> String {
    String(decoding: data, as: UTF8.self).escapingControls { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
