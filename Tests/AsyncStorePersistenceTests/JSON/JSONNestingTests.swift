import AsyncStorePersistence
import Foundation
import Testing

@Suite("Values nested deeper than the limit")
struct JSONNestingTests {
  private static let limit = JSONValue.maximumDepth

  /// A number in so many objects.
  private static func nested(_ levels: Int) -> JSONValue {
    (0..<levels).reduce(1) { value, level in level % 2 == 0 ? ["a": value] : [value] }
  }

  @Test("A small patch that copies a document into itself is refused before it nests too deeply")
  func copiesIntoItself() async throws {
    await #expect(processExitsWith: .success) {
      let copy = #"{"op":"copy","from":"","path":"/a"}"#
      let text = "[" + Array(repeating: copy, count: 60_000).joined(separator: ",") + "]"
      do {
        _ = try JSONPatch(data: Data(text.utf8)).applied(to: ["a": 1])
        preconditionFailure("the patch was applied")
      } catch let error as JSONPatchError {
        precondition(error.operationIndex == JSONValue.maximumDepth - 1)
        precondition(error.description.contains("nested deeper than 512 levels"))
      }
    }
  }

  @Test("Each patch operation refuses values nested deeper than the limit, and no others")
  func operations() throws {
    let (place, source): (JSONPointer, JSONPointer) = (JSONPointer(["b", "c"]), JSONPointer(["v"]))
    for (levels, isRefused) in [(Self.limit - 2, false), (Self.limit - 1, true)] {
      let value = Self.nested(levels)
      let document: JSONValue = ["b": ["c": 0], "v": value]
      for operation in [
        .add(place, value), .replace(place, value), .move(from: source, to: place), .copy(from: source, to: place),
      ] as [JSONPatch.Operation] {
        let result = Result { try JSONPatch([operation]).applied(to: document) }
        switch result {
        case .success(let document):
          #expect(!isRefused, "\(operation)")
          #expect(throws: Never.self) { try document.data }
        case .failure(let error):
          #expect(isRefused, "\(error)")
          #expect((error as? JSONPatchError)?.description.contains("nested deeper") == true)
        }
      }
    }
  }

  final class Link: Codable, Sendable {
    let next: Link?

    init(_ next: Link?) { self.next = next }
  }

  @Test("Deeply nested values are refused on a small stack before they overflow it")
  func smallStack() async {
    await #expect(processExitsWith: .success) {
      let levels = JSONValue.maximumDepth - 1
      let (document, other) = (JSONNestingTests.nested(levels), JSONValue.array([JSONNestingTests.nested(levels - 1)]))
      let text = Data((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
      let path = JSONPointer((0..<levels).map { ($0 + levels) % 2 == 0 ? "0" : "a" })
      let links = (0..<levels).reduce(JSONValue.object([:])) { value, _ in ["next": value] }
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        let link = (0..<levels).reduce(Link(nil)) { link, _ in Link(link) }
        let uses: [() throws -> Void] = [
          { _ = try JSONValue(encoding: link) }, { _ = try links.decoded(as: Link.self) },
          { _ = try JSONValue(data: text) }, { _ = try document.data },
          { _ = try JSONPatch([.replace(path, 2)]).applied(to: document) },
        ]
        for use in uses {
          // Optimised code may have room for it.
          do { try use() } catch {
            precondition("\(error)".contains("deep"), "\(error)")
          }
        }
        let changes = JSONPatch(from: [document], to: [other])
        precondition(!changes.operations.isEmpty)
        isDone.signal()
      }
      thread.stackSize = 128 << 10
      thread.start()
      isDone.wait()
    }
  }

  @Test("A value nested deeper than the limit may replace one that is as deep")
  func asDeep() throws {
    let (old, new): (JSONValue, JSONValue) = (["a": Self.nested(1_000)], ["a": Self.nested(999)])
    let path = JSONPointer(["a"])
    for value in [Self.nested(999), Self.nested(1_000)] {
      #expect(try JSONPatch([.replace(path, value)]).applied(to: old) == ["a": value])
    }
    #expect(throws: JSONPatchError.self) { try JSONPatch([.replace(path, Self.nested(1_000))]).applied(to: new) }
    #expect(throws: JSONPatchError.self) { try JSONPatch([.add(JSONPointer(["b"]), new)]).applied(to: old) }
  }

  @Test("A patch is refused exactly at the operation that would exceed the depth limit")
  func anyPatch() throws {
    var generator = SplitMix64(seed: 512)
    var (refused, made) = (0, 0)
    for _ in 0..<Nightly.count(2_000, otherwise: 150) {
      let deep = Self.limit - Int.random(in: 0...6, using: &generator)
      let start: JSONValue = ["a": Self.nested(Int.random(in: 0...3, using: &generator)), "b": Self.nested(deep - 1)]
      var document = start
      var operations: [JSONPatch.Operation] = []
      var isRefused = false
      for _ in 0..<8 where !isRefused {
        let operation = Self.operation(&generator)
        do {
          document = try JSONPatch([operation]).applied(to: document)
          made += 1
          #expect(Self.levels(document) <= Self.limit)
        } catch let error as JSONPatchError {
          isRefused = error.description.contains("nested deeper")
          if !isRefused { continue }
        }
        operations.append(operation)
      }
      let result = Result { try JSONPatch(operations).applied(to: start) }
      guard isRefused, let last = operations.last else {
        #expect(try result.get() == document)
        continue
      }
      refused += 1
      let error = #expect(throws: JSONPatchError.self) { try result.get() }
      #expect(error?.operationIndex == operations.count - 1)
      let (value, path) = try Self.placed(last, document)
      #expect(path.tokens.count + Self.levels(value) > Self.limit)
    }
    #expect(refused > 10 && made > 100)
  }

  private static func operation(_ generator: inout SplitMix64) -> JSONPatch.Operation {
    func path() -> JSONPointer {
      JSONPointer(
        (0..<Int.random(in: 0...2, using: &generator)).map { _ in Bool.random(using: &generator) ? "a" : "b" })
    }
    let value: JSONValue = ["a": nested(.random(in: 0...3, using: &generator)), "b": [:]]
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0: .add(path(), value)
    case 1: .replace(path(), value)
    case 2, 3: .move(from: path(), to: path())
    default: .copy(from: path(), to: path())
    }
  }

  /// The value that an operation puts somewhere.
  private static func placed(
    _ operation: JSONPatch.Operation, _ document: JSONValue
  ) throws -> (JSONValue, JSONPointer) {
    switch operation {
    case .add(let path, let value), .replace(let path, let value): return (value, path)
    case .move(let from, let path), .copy(let from, let path):
      var value = document
      for token in from.tokens {
        guard case .object(let members) = value, let member = members[token] else { break }
        value = member
      }
      return (value, path)
    default: throw CocoaError(.featureUnsupported)
    }
  }

  /// The lists and objects within each other, counted level by level.
  private static func levels(_ value: JSONValue) -> Int {
    var (level, count) = ([value], 0)
    while true {
      var inner: [JSONValue] = []
      var hasContainer = false
      for value in level {
        switch value {
        case .array(let elements): (inner, hasContainer) = (inner + elements, true)
        case .object(let members): (inner, hasContainer) = (inner + members.values, true)
        default: break
        }
      }
      if !hasContainer { return count }
      (level, count) = (inner, count + 1)
    }
  }

  @Test(
    "Depth checks stay fast, and errors short, in a document that doubles with each copy", .timeLimit(.minutes(10)))
  func doubling() throws {
    let start: JSONValue = ["c": 1]
    func copies(_ count: Int) -> [JSONPatch.Operation] {
      (0..<count).map { .copy(from: JSONPointer(), to: JSONPointer([$0 % 2 == 0 ? "a" : "b"])) }
    }
    let deeper = #expect(throws: JSONPatchError.self) { try JSONPatch(copies(2_000)).applied(to: start) }
    #expect(deeper?.operationIndex == Self.limit - 1)
    // Measured anew.
    let largest = try JSONPatch(copies(Self.limit - 1)).applied(to: start)
    let again = #expect(throws: JSONPatchError.self) { try JSONPatch(copies(1)).applied(to: largest) }
    #expect(again?.operationIndex == 0)
    #expect(throws: EncodingError.self) { try JSONValue(encoding: ["d": largest]) }
    let different = #expect(throws: JSONPatchError.self) {
      try JSONPatch(copies(200) + [.test(JSONPointer(), 1)]).applied(to: start)
    }
    #expect(different.map { $0.description.utf8.count < 2_000 } == true)
    let mismatch = #expect(throws: DecodingError.self) {
      try JSONPatch(copies(200)).applied(to: start).decoded(as: [Int].self)
    }
    #expect(mismatch.map { "\($0)".utf8.count < 3_000 } == true)
  }

  @Test("Depth checks of a patch take time that is linear in its operations", .timeLimit(.minutes(5)))
  func linear() throws {
    let large: JSONValue = .array(Array(repeating: [1], count: 5_000))
    let document: JSONValue = ["in": large, "to": [:], "x": ["y": large]]
    let place = JSONPointer(["in"])
    let count = Nightly.count(100_000, otherwise: 20_000)
    var result = try JSONPatch(
      (0..<count).map { .copy(from: place, to: JSONPointer(["to", JSONString("\($0)")])) }
    ).applied(to: document)
    guard case .object(let members) = result, case .object(let copies) = members["to"] else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect(copies.count == count)
    let other = JSONPointer(["x", "z"])
    result = try JSONPatch(
      (0..<count).map { $0 % 2 == 0 ? .move(from: place, to: other) : .move(from: other, to: place) }
    ).applied(to: document)
    #expect(result == document)
  }

  @Test("Values up to the depth limit can be written and read again, and deeper ones are refused")
  func writing() throws {
    let lists = (1..<Self.limit).reduce([] as JSONValue) { list, _ in [list] }
    #expect(try JSONValue(data: lists.data) == lists)
    let deeper: JSONValue = [lists]
    #expect(throws: EncodingError.self) { try deeper.data }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: deeper) }
    #expect(try JSONValue(encoding: lists) == lists)
    #expect(throws: EncodingError.self) { try JSONValue(encoding: [lists]) }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: List(levels: Self.limit + 1)) }
    let list = try JSONValue(encoding: List(levels: Self.limit))
    #expect(try JSONValue(data: list.data) == list)
  }

  private struct Silent: Encodable {
    func encode(to encoder: any Encoder) {}
  }

  /// A silent value in so many lists.
  private struct Lists: Encodable {
    let levels: Int
    /// True if the silent value is encoded by a super encoder.
    var hasSuper = false

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if levels > 1 {
        try container.encode(Lists(levels: levels - 1, hasSuper: hasSuper))
      } else if hasSuper {
        Silent().encode(to: container.superEncoder())
      } else {
        try container.encode(Silent())
      }
    }
  }

  @Test("A value that encodes nothing is an object, and so counts as a level of nesting")
  func silentValues() throws {
    for hasSuper in [false, true] {
      let value = try JSONValue(encoding: Lists(levels: Self.limit - 1, hasSuper: hasSuper))
      #expect(throws: Never.self) { try JSONValue(data: value.data) }
      #expect(throws: EncodingError.self) { try JSONValue(encoding: Lists(levels: Self.limit, hasSuper: hasSuper)) }
    }
  }
}

/// Lists within each other, of which the innermost is empty.
private struct List: Encodable {
  let levels: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    if levels > 1 { try container.encode(List(levels: levels - 1)) }
  }
}
