import Foundation

/// A value in its saved form: a line that describes the rest, and the value as JSON.
///
/// ```text
/// {"checksum":"8d1c2b94","format":"asyncstore-snapshot","length":13,"version":1}
/// {"count":3}
/// ```
///
/// The checksum covers the version and the value.
struct Snapshot {
  private struct Head: Codable {
    var format = "asyncstore-snapshot"
    let version: Int
    let length: Int
    let checksum: String

    init(version: Int, _ content: Data) {
      self.version = version
      length = content.count
      var checksum = Checksum()
      checksum.add("\(version)\n".utf8)
      checksum.add(content)
      self.checksum = checksum.text
    }
  }

  /// The version of the program's data.
  let version: Int
  /// The value as JSON.
  let content: Data

  init(version: Int, content: Data) {
    self.version = version
    self.content = content
  }

  /// Reads the saved bytes.
  ///
  /// - Throws: ``PersistenceError`` with the code `damaged`, or `notReadable` if this thread has too little stack to
  ///   determine that.
  init(_ data: Data, from storage: String) throws {
    func damaged(_ what: String) -> PersistenceError {
      PersistenceError(
        .damaged, storage: storage,
        "\(storage) is damaged: \(what). It is left as it is. Move it away, or put a good version in its place.")
    }
    guard let end = data.firstIndex(of: 0x0A),
      let head = try Self.reading(storage, { try? JSONValue(data: Data(data[..<end])).decoded(as: Head.self) })
    else {
      throw damaged("its first line does not say what it is")
    }
    content = Data(data[(end + 1)...])
    version = head.version
    let expected = Head(version: version, content)
    guard head.format == expected.format else { throw damaged("it is \(head.format) and not \(expected.format)") }
    guard head.length == content.count else {
      throw damaged("it should have \(head.length) bytes after its first line, and has \(content.count)")
    }
    guard head.checksum == expected.checksum else { throw damaged("its content is not what was written") }
  }

  /// Calls `body`, which reads saved data.
  ///
  /// - Throws: the errors of `body`. If this thread has too little stack, ``PersistenceError`` with the code
  ///   `notReadable` replaces these errors and any result, so that intact data is never mistaken for damaged data.
  static func reading<Value>(_ storage: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try Stack.requiringRoom(body)
    } catch is Stack.Shortage {
      throw PersistenceError(
        .notReadable, storage: storage,
        "\(storage) can't be read on this thread, whose stack is too small for it, or nearly used up. "
          + "It is left as it is. Read it on a thread with a larger stack, such as the main thread.")
    }
  }

  /// The bytes to save.
  var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(Head(version: version, content)) + [0x0A] + content
    }
  }
}
