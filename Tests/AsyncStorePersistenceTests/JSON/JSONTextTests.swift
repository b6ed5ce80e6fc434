import AsyncStorePersistence
import Foundation
import Testing

@Suite("The text of a JSON document")
struct JSONTextTests {
  private func read(_ text: String) throws -> JSONValue { try JSONValue(data: Data(text.utf8)) }

  @Test("A JSON string is read with many escapes next to UTF-8 text")
  func manyEscapes() throws {
    let written = String(repeating: #"e\u0301\n\uD83D\uDE00\""#, count: 50_000)
    let text = String(repeating: "e\u{301}\n\u{1F600}\"", count: 50_000)
    #expect(try read("\"\(written)\"") == .string(JSONString(text)))
    for bytes: [UInt8] in [[0xC3, 0x5C, 0x6E, 0xA9], [0x5C, 0x6E, 0xC3], [0xED, 0xA0, 0x80]] {
      #expect(throws: DecodingError.self) { try JSONValue(data: Data([0x22] + bytes + [0x22])) }
    }
  }

  @Test(
    "JSON text survives being read and written",
    arguments: [
      "null", "true", "false", "0", "-0", "1.0", "1E400", "1e999999999999999999999",
      "0e999999999999999999999", "18446744073709551615", "0.10", "\"\"", "[]", "{}",
      #"{"a":[1,{"b":null}],"é":"\u0001\n\"\\"}"#, "[[[]],{}]", "\"\u{1F600}\u{2028}\"",
      "{\"e\u{301}\":1,\"\u{e9}\":2}",
    ])
  func both(_ text: String) throws {
    let value = try read(text)
    #expect(String(decoding: try value.data, as: UTF8.self).unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(try read(value.description) == value)
  }

  @Test("JSON text may have spaces and escapes")
  func spaces() throws {
    #expect(try read(" [ 1 ,\n2\t, {\r \"a\" : null } ] ") == [1, 2, ["a": nil]])
    #expect(try read(#""\u0041\/\b\f\ud83d\ude00\u00e9""#) == "A/\u{8}\u{c}\u{1F600}\u{e9}")
  }

  @Test(
    "Text that is not JSON is refused",
    arguments: [
      "", " ", "nul", "True", "[1,]", "[1 2]", "[,1]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "[1",
      "{",
      "\"", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "1 2", "01", "-", "'a'",
      "[1]]",
      "\u{feff}1",
    ])
  func faults(_ text: String) { #expect(throws: DecodingError.self) { try read(text) } }

  @Test("JSON text that is not UTF-8 is refused")
  func notUTF8() {
    for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF]] as [[UInt8]] {
      #expect(throws: DecodingError.self) { try JSONValue(data: Data(bytes)) }
    }
  }

  @Test("JSON text is read up to the depth limit, and refused beyond it")
  func depth() throws {
    func text(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(try read(text(JSONValue.maximumDepth)).description == text(JSONValue.maximumDepth))
    #expect(throws: DecodingError.self) { try read(text(JSONValue.maximumDepth + 1)) }
    #expect(throws: DecodingError.self) { try read(text(1_000_000)) }
  }
}
