import Foundation

extension ActionLog where State: Codable, State.Action: Codable {
  /// Returns the log as JSON lines: a header line, and then a line for each change and each kept state.
  ///
  /// ```text
  /// {"format":"asyncstore-actions","index":0,"state":{"count":0},"version":1}
  /// {"action":{"add":{"_0":2}}}
  /// {"action":{"increment":{}}}
  /// {"state":{"count":3}}
  /// ```
  ///
  /// An `action` line is an action; a `set` line is a change that no action made. A `state` line is the state at that
  /// point; replaying an imported log compares it. Capacity and interval are not included; the importer chooses them.
  ///
  /// Foundation's coders write and read the lines: equal sets may be written in different orders, and values nested
  /// more than 512 levels deep are written but can't be read again.
  ///
  /// - Throws: an error of the encoding of the state or of an action.
  /// - Complexity: linear in the number of changes and of kept states.
  public func jsonLines() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = try encoder.encode(LogHead(index: indices.lowerBound, state: initial))
    func add(_ line: some Encodable) throws {
      lines.append(0x0A)
      lines.append(try encoder.encode(line))
    }
    for (index, change) in zip(indices, changes) {
      try add(change)
      if let state = checkpoints[index + 1] { try add(LogState(state: state)) }
    }
    lines.append(0x0A)
    return lines
  }

  /// Reads a log from JSON lines.
  ///
  /// Reading does not replay the log; to check the log, call ``replay(_:)``.
  ///
  /// - Parameters:
  ///   - data: the output of ``jsonLines()``; more lines may have been appended since.
  ///   - capacity: the maximum number of changes to keep, at least 1, otherwise traps. Unlimited by default. If there
  ///     are more lines, the oldest changes are applied to ``initial``.
  ///   - checkpointInterval: the number of further changes after which the state is kept, at least 1, otherwise traps.
  /// - Throws: ``ActionLogError`` with the code `malformed` and the number of the first line that can't be read: a line
  ///   that was cut off, an empty line that is not the last, a line that contradicts another, has a key twice or an
  ///   unknown key, or is not UTF-8. Unknown keys within states and actions are up to their own decoding.
  /// - Complexity: linear in the data.
  public init(jsonLines data: Data, capacity: Int = .max, checkpointEvery checkpointInterval: Int = 1_000) throws {
    let decoder = JSONDecoder()
    func decode<Line: Decodable>(_ type: Line.Type, _ line: Data, _ number: Int) throws -> Line {
      do {
        // The decoder would also read UTF-16 and UTF-32, in which all JSON contains such bytes.
        if line.contains(0) { throw MalformedLine("it is not UTF-8") }
        let result = try decoder.decode(type, from: line)
        if let key = try DuplicateKey.first(in: Array(line)) { throw MalformedLine("the key \"\(key)\" occurs twice") }
        return result
      } catch {
        throw ActionLogError(.malformed, "Line \(number) of the log can't be read: \(error)", line: number)
      }
    }
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    let head = try decode(LogHead<State>.self, lines.first ?? Data(), 1)
    guard head.format == LogHead<State>.format, head.version == 1 else {
      throw ActionLogError(
        .malformed,
        "Line 1 has the format \(head.format), version \(head.version); expected \(LogHead<State>.format), version 1.",
        line: 1)
    }
    guard Self.firstIndices.contains(head.index) else {
      throw ActionLogError(
        .malformed, "Line 1 has the index \(head.index); it must be from 0 to \(Self.firstIndices.upperBound).",
        line: 1)
    }
    self.init(initial: head.state, at: head.index, capacity: capacity, checkpointEvery: checkpointInterval)
    for (index, line) in lines.enumerated().dropFirst() {
      if line.isEmpty, index == lines.count - 1 { break }
      switch try decode(LogLine<State>.self, line, index + 1) {
      case .change(let change): append(unchecked: change)
      case .state(let state):
        guard agrees(with: state, at: indices.upperBound) else {
          throw ActionLogError(
            .malformed, "Line \(index + 1) has a different state than earlier lines have for the same index.",
            line: index + 1)
        }
        keep(state)
      }
    }
  }
}

private struct MalformedLine: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The first line of a log.
private struct LogHead<State: Codable>: Codable {
  static var format: String { "asyncstore-actions" }

  private enum Key: String, CodingKey, CaseIterable { case format, version, index, state }

  let format: String
  let version: Int
  let index: Int
  let state: State

  init(index: Int, state: State) {
    (format, version) = (Self.format, 1)
    (self.index, self.state) = (index, state)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    format = try container.decode(String.self, forKey: .format)
    version = try container.decode(Int.self, forKey: .version)
    // Another version may have other keys, and is refused by its number.
    if format == Self.format, version == 1 { try decoder.refuseKeys(except: Key.allCases.map(\.stringValue)) }
    index = try container.decode(Int.self, forKey: .index)
    state = try container.decode(State.self, forKey: .state)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(format, forKey: .format)
    try container.encode(version, forKey: .version)
    try container.encode(index, forKey: .index)
    try container.encode(state, forKey: .state)
  }
}

/// The line of a kept state.
private struct LogState<State: Codable>: Codable {
  let state: State
}

private enum LogLine<State: Model & Codable>: Decodable where State.Action: Codable {
  case change(ActionLog<State>.Change)
  case state(State)

  private enum Key: String, CodingKey, CaseIterable { case action, set, state }

  init(from decoder: any Decoder) throws {
    self =
      switch try decoder.onlyKey(of: Key.self) {
      case .state: .state(try LogState<State>(from: decoder).state)
      case .action, .set: .change(try ActionLog<State>.Change(from: decoder))
      }
  }
}
