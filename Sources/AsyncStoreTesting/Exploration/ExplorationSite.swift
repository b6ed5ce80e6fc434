import CAsyncStoreTesting
import Synchronization

#if canImport(Testing)
  import Testing
#endif

/// The place of an exploration in the source.
struct ExplorationSite: Hashable, Sendable {
  /// The file, with its folders.
  var filePath = ""
  var line = 0
  /// The function around the exploration, which is the test unless Swift Testing names another.
  var function = ""

  /// The test's name for `swift test --filter`.
  var testName: String { Self.testName(of: IssueCollector.testFunction ?? function) }

  /// Returns a function's name without its argument list: `order` for `order(by:)`.
  ///
  /// A name in backticks may contain parentheses. `#function` has no backticks around it.
  ///
  /// - Returns: `…` if there is no name.
  static func testName(of function: String) -> String {
    var isRaw = false
    var end = function.endIndex
    if function.hasSuffix(")") {
      for index in function.indices {
        if function[index] == "`" { isRaw.toggle() }
        if function[index] == "(", !isRaw { end = index }
      }
    }
    return end == function.startIndex ? "…" : String(function[..<end])
  }

  /// A pattern for the test's whole name, quoted for a shell that passes it to `swift test --filter`.
  var filter: String { IssueCollector.testName.map { Self.filter(forTest: $0) } ?? Self.filter(for: testName) }

  /// Returns the pattern for a test of Swift Testing: `'^AppTests\.SearchTests/order\(by:\)(/|$)'`.
  ///
  /// - Parameter name: the name with module, suites and arguments; `swift test` appends the test's place to it.
  static func filter(forTest name: String) -> String { "'^\(pattern(of: name))(/|$)'" }

  /// Returns the pattern for tests with a function of this name: `'[./]`?order`?(\(|$)'`.
  ///
  /// A test of XCTest does not know its class. Its name has no parentheses; the name of a Swift Testing test may have
  /// backticks.
  static func filter(for testName: String) -> String {
    testName == "…" ? testName : "'[./]`?\(pattern(of: testName.filter { $0 != "`" }))`?(\\(|$)'"
  }

  /// Returns a pattern that matches a text, for use in single quotes.
  private static func pattern(of text: String) -> String {
    // A quote would end the quoted text; a dot matches it as well. Characters beyond ASCII must not be escaped.
    let isPlain = { (character: Character) in
      !character.isASCII || character.isLetter || character.isNumber || "_ `/:".contains(character)
    }
    return text.map { $0 == "'" ? "." : isPlain($0) ? "\($0)" : "\\\($0)" }.joined()
  }

  /// Begins an exploration here, and returns the name by which a replay finds it.
  ///
  /// The name consists of the file and the line. For a test with arguments, it also contains a hash of the arguments
  /// and, unless the exploration is the first one of the test here, its number.
  func beginExploration() -> String {
    let name = "\(filePath.split(separator: "/").last ?? "here"):\(line)\(Self.argumentsDigest)"
    let number = Self.counts.withLock { counts in
      counts[Key(name: name, test: Self.testIdentity), default: 0] += 1
      return counts[Key(name: name, test: Self.testIdentity)] ?? 1
    }
    return number == 1 ? name : "\(name)#\(number)"
  }

  /// FNV-1a, because the standard library's hashes differ between processes.
  ///
  /// The addresses in the description of a test case differ too, and are left out.
  static func digest(of testCase: String) -> UInt32 {
    testCase.replacing(/\$[0-9a-f]+|0x[0-9a-f]+/, with: "").utf8.reduce(0x811c_9dc5) {
      ($0 ^ UInt32($1)) &* 0x0100_0193
    }
  }

  private struct Key: Hashable {
    let name: String
    let test: String
  }

  /// The number of explorations so far, by place and test.
  private static let counts = Mutex<[Key: Int]>([:])

  #if canImport(Testing)
    private static var testIdentity: String { Test.current.map { "\($0.id)" } ?? "" }

    private static var argumentsDigest: String {
      guard let testCase = Test.Case.current, testCase.isParameterized else { return "" }
      return "~\(String(digest(of: "\(testCase)"), radix: 16))"
    }
  #else
    private static var testIdentity: String { "" }
    private static var argumentsDigest: String { "" }
  #endif
}

/// A schedule and the exploration that it belongs to, as written in an environment variable or in the source:
/// `4:0/2-1/2@SearchTests.swift:30`.
struct ScheduleReference {
  let schedule: Schedule
  /// The name of the exploration, or `nil` for any.
  let exploration: String?

  /// Reads a text, or the file that a replay line names if the schedule is too long for a command line.
  ///
  /// Leading and trailing blanks and line breaks are ignored.
  init(reading text: String) throws(Schedule.Unreadable) {
    let text = text.trimmed
    do {
      try self.init(text)
    } catch .malformed {
      guard let content = Self.content(ofFile: text) else { throw .malformed }
      try self.init(content)
    }
  }

  init(_ text: String) throws(Schedule.Unreadable) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    schedule = try Schedule(reading: String(parts.first ?? ""))
    exploration = parts.count == 2 ? String(parts[1]) : nil
  }

  /// The first line of a file.
  private static func content(ofFile path: String) -> String? {
    var length = 0
    guard !path.isEmpty, let text = asyncStoreTesting_read(path, &length) else { return nil }
    defer { asyncStoreTesting_free(text) }
    let content = String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    return String(content.prefix { !$0.isNewline }).trimmed
  }
}
