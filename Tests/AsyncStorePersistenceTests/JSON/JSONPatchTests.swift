import AsyncStorePersistence
import Foundation
import Testing

@Suite("A JSON patch")
struct JSONPatchTests {
  private func json(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }
  private func patch(_ text: String) throws -> JSONPatch {
    try JSONDecoder().decode(JSONPatch.self, from: Data(text.utf8))
  }

  @Test(
    "A JSON patch does what each of its operations says",
    arguments: [
      (#"{"a":1}"#, #"[{"op":"add","path":"/b","value":2}]"#, #"{"a":1,"b":2}"#),
      (#"{"a":1}"#, #"[{"op":"add","path":"/a","value":2}]"#, #"{"a":2}"#),
      (#"{"a":[1,3]}"#, #"[{"op":"add","path":"/a/1","value":2}]"#, #"{"a":[1,2,3]}"#),
      (#"{"a":[1,2]}"#, #"[{"op":"add","path":"/a/-","value":[3]}]"#, #"{"a":[1,2,[3]]}"#),
      (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/1","value":null}]"#, #"{"a":[1,null]}"#),
      (#"{"a":1}"#, #"[{"op":"add","path":"","value":[]}]"#, #"[]"#),
      (#"{"a":1,"b":2}"#, #"[{"op":"remove","path":"/a"}]"#, #"{"b":2}"#),
      (#"[1,2,3]"#, #"[{"op":"remove","path":"/1"}]"#, #"[1,3]"#),
      (#"{"a":{"b":1}}"#, #"[{"op":"replace","path":"/a/b","value":"x"}]"#, #"{"a":{"b":"x"}}"#),
      (#"[1,2]"#, #"[{"op":"replace","path":"/0","value":9}]"#, #"[9,2]"#),
      (#"{"a":{"b":1},"c":{}}"#, #"[{"op":"move","from":"/a/b","path":"/c/d"}]"#, #"{"a":{},"c":{"d":1}}"#),
      (#"[1,2,3]"#, #"[{"op":"move","from":"/0","path":"/2"}]"#, #"[2,3,1]"#),
      (#"{"a":[1]}"#, #"[{"op":"copy","from":"/a","path":"/b"}]"#, #"{"a":[1],"b":[1]}"#),
      (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":1.0},{"op":"remove","path":"/a"}]"#, #"{}"#),
      (#"{"a/b":1,"m~n":2}"#, #"[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}]"#, #"{}"#),
      (#"{"":{"":1}}"#, #"[{"op":"replace","path":"//","value":2}]"#, #"{"":{"":2}}"#),
      (#"{"a":1}"#, #"[{"op":"add","path":"/b","value":1,"unknown":true}]"#, #"{"a":1,"b":1}"#),
      (#"{"a":1}"#, #"[]"#, #"{"a":1}"#),
    ])
  func operations(_ document: String, _ text: String, _ result: String) throws {
    #expect(try patch(text).applied(to: json(document)) == json(result))
  }

  @Test(
    "A JSON patch that can't be applied says which operation failed",
    arguments: [
      #"[{"op":"add","path":"/x/y","value":1}]"#, #"[{"op":"add","path":"/list/4","value":1}]"#,
      #"[{"op":"add","path":"/list/01","value":1}]"#, #"[{"op":"add","path":"/list/x","value":1}]"#,
      #"[{"op":"add","path":"/text/0","value":1}]"#, #"[{"op":"remove","path":"/x"}]"#,
      #"[{"op":"remove","path":"/list/-"}]"#, #"[{"op":"replace","path":"/x","value":1}]"#,
      #"[{"op":"replace","path":"/list/3","value":1}]"#, #"[{"op":"move","from":"/object","path":"/object/a"}]"#,
      #"[{"op":"move","from":"/x","path":"/y"}]"#, #"[{"op":"copy","from":"/x","path":"/y"}]"#,
      #"[{"op":"test","path":"/text","value":"b"}]"#, #"[{"op":"test","path":"/list/0","value":"1"}]"#,
    ])
  func faults(_ text: String) throws {
    let document = try json(#"{"list":[1,2,3],"text":"a","object":{"a":1}}"#)
    let patch = try patch(#"[{"op":"remove","path":"/object/a"},"# + text.dropFirst())
    let error = #expect(throws: JSONPatchError.self) { try patch.applied(to: document) }
    #expect(error?.operationIndex == 1)
    #expect(error?.description.contains("Operation 1") == true)
  }

  @Test(
    "A malformed JSON patch is refused",
    arguments: [
      #"[{"op":"spam","path":"/a"}]"#, #"[{"op":"add","path":"/a"}]"#, #"[{"op":"add","path":"a","value":1}]"#,
      #"[{"op":"move","path":"/a"}]"#, #"[{"op":"remove"}]"#, #"[{"op":"remove","path":"/a~2"}]"#, #"{}"#,
    ])
  func notAPatch(_ text: String) { #expect(throws: DecodingError.self) { try patch(text) } }

  @Test("A JSON patch survives encoding and decoding")
  func coding() throws {
    let patch = JSONPatch([
      .add(JSONPointer(["a/b"]), nil), .remove(JSONPointer(["a", "0"])), .replace(JSONPointer(), [1]),
      .move(from: JSONPointer(["x"]), to: JSONPointer(["y"])), .copy(from: JSONPointer(["y"]), to: JSONPointer(["z"])),
      .test(JSONPointer(["~"]), true),
    ])
    #expect(try JSONDecoder().decode(JSONPatch.self, from: JSONEncoder().encode(patch)) == patch)
  }

  @Test(
    "A JSON pointer has its escapes and separators even next to combining marks",
    arguments: [
      ("\u{301}a", "/\u{301}a"), ("/\u{301}", "/~1\u{301}"), ("~\u{301}", "/~0\u{301}"),
      ("a/\u{301}b~\u{301}", "/a~1\u{301}b~0\u{301}"),
    ])
  func combiningMarks(_ key: JSONString, _ text: String) throws {
    #expect(JSONPointer([key]).description.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(JSONPointer(text) == JSONPointer([key]))
    #expect(JSONPointer("/~\u{301}") == nil)
    let patch = JSONPatch(from: [:], to: .object([key: 1]))
    #expect(try JSONDecoder().decode(JSONPatch.self, from: JSONEncoder().encode(patch)) == patch)
  }

  @Test("A JSON patch leads from any document to any other, and only as far as needed")
  func differences() throws {
    var generator = SplitMix64(seed: 6_902)
    for _ in 0..<Nightly.count(50_000, otherwise: 2_000) {
      let (old, new) = (document(3, &generator), document(3, &generator))
      #expect(try JSONPatch(from: old, to: new).applied(to: old) == new)
      #expect(JSONPatch(from: old, to: old).operations.isEmpty)
    }
    let list = JSONValue.array((0..<100).map { .number(JSONNumber($0)) })
    var values = (0..<100).map { JSONValue.number(JSONNumber($0)) }
    values.remove(at: 50)
    #expect(JSONPatch(from: list, to: .array(values)).operations.count == 1)
  }

  /// Operations on so many parts of a document, each of which has a copy of the document if one of them makes it.
  static let many: [(JSONValue, @Sendable (Int) -> JSONPatch.Operation, JSONValue)] = [
    (.members(0), { .replace(.inside($0), 1) }, .members(1)),
    (["in": [:]], { .add(.inside($0), 1) }, .members(1)),
    (.members(0), { .remove(.inside($0)) }, ["in": [:]]),
    (.elements(0), { .replace(.inside($0), 1) }, .elements(1)),
    (["in": []], { _ in .add(JSONPointer(["in", "-"]), 1) }, .elements(1)),
    (.elements(0), { .remove(.inside(JSONValue.size - 1 - $0)) }, ["in": []]),
  ]

  @Test(
    "Applying a JSON patch takes time that is linear in its operations", .timeLimit(.minutes(10)),
    arguments: many.indices)
  func linear(_ index: Int) throws {
    let (old, operation, new) = Self.many[index]
    #expect(try JSONPatch((0..<JSONValue.size).map(operation)).applied(to: old) == new)
  }

  private func document(_ depth: Int, _ generator: inout SplitMix64) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
    case 0: return nil
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .number(JSONNumber(Int.random(in: 0..<3, using: &generator)))
    case 3: return .number(0.5)
    case 4: return ["", "a", "a/b", "~", "0"].randomElement(using: &generator) ?? ""
    case 5, 6:
      return .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in document(depth - 1, &generator) })
    default:
      var members: [JSONString: JSONValue] = [:]
      for key in ["a", "b", "c/d", "~", "0", ""] as [JSONString] where Bool.random(using: &generator) {
        members[key] = document(depth - 1, &generator)
      }
      return .object(members)
    }
  }
}

extension JSONValue {
  fileprivate static let size = Nightly.count(100_000, otherwise: 20_000)

  fileprivate static func members(_ value: JSONValue) -> JSONValue {
    ["in": .object(Dictionary(uniqueKeysWithValues: (0..<size).map { (JSONString("\($0)"), value) }))]
  }

  fileprivate static func elements(_ value: JSONValue) -> JSONValue {
    ["in": .array(Array(repeating: value, count: size))]
  }
}

extension JSONPointer {
  fileprivate static func inside(_ part: Int) -> JSONPointer { JSONPointer(["in", JSONString("\(part)")]) }
}
