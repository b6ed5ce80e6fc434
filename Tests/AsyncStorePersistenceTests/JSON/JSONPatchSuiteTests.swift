import AsyncStorePersistence
import Foundation
import Testing

/// The cases of json-patch's public suite, written anew: the examples of RFC 6902's appendix, and what implementations
/// got wrong.
@Suite("A JSON patch, by the cases of the public suite")
struct JSONPatchSuiteTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(data: Data(text.utf8)) }

  @Test(
    "leads to the expected document",
    arguments: [
      // RFC 6902, A.1 to A.16.
      (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
      (#"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#, #"{"foo":["bar","qux","baz"]}"#),
      (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
      (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
      (
        #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#, #"{"baz":"boo","foo":"bar"}"#
      ),
      (
        #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
        #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
        #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
      ),
      (
        #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
        #"{"foo":["all","cows","eat","grass"]}"#
      ),
      (
        #"{"baz":"qux","foo":["a",2,"c"]}"#,
        #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
        #"{"baz":"qux","foo":["a",2,"c"]}"#
      ),
      (
        #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
        #"{"foo":"bar","child":{"grandchild":{}}}"#
      ),
      (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"foo":"bar","baz":"qux"}"#),
      (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
      (
        #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#, #"{"foo":["bar",["abc","def"]]}"#
      ),
      // Empty ones, and the whole document.
      ("{}", "[]", "{}"), ("[]", "[]", "[]"), (#"{"foo":1}"#, "[]", #"{"foo":1}"#),
      (#""foo""#, #"[{"op":"replace","path":"","value":"bar"}]"#, #""bar""#),
      ("{}", #"[{"op":"add","path":"","value":[]}]"#, "[]"), ("[]", #"[{"op":"add","path":"","value":{}}]"#, "{}"),
      (#"{"foo":"bar"}"#, #"[{"op":"add","path":"","value":{"baz":"qux"}}]"#, #"{"baz":"qux"}"#),
      (#"{"foo":"bar"}"#, #"[{"op":"copy","from":"","path":"/foo"}]"#, #"{"foo":{"foo":"bar"}}"#),
      (#"{"foo":{"a":1}}"#, #"[{"op":"move","from":"/foo","path":""}]"#, #"{"a":1}"#),
      // Adding.
      ("[]", #"[{"op":"add","path":"/0","value":"foo"}]"#, #"["foo"]"#),
      (#"["foo"]"#, "[]", #"["foo"]"#),
      ("{}", #"[{"op":"add","path":"/foo","value":"1"}]"#, #"{"foo":"1"}"#),
      ("{}", #"[{"op":"add","path":"/foo","value":1}]"#, #"{"foo":1}"#),
      ("{}", #"[{"op":"add","path":"/","value":1}]"#, #"{"":1}"#),
      (#"{"foo":{}}"#, #"[{"op":"add","path":"/foo/","value":1}]"#, #"{"foo":{"":1}}"#),
      (#"{"foo":1}"#, #"[{"op":"add","path":"/bar","value":[1,2]}]"#, #"{"foo":1,"bar":[1,2]}"#),
      (
        #"{"foo":1,"baz":[{"qux":"hello"}]}"#, #"[{"op":"add","path":"/baz/0/foo","value":"world"}]"#,
        #"{"foo":1,"baz":[{"qux":"hello","foo":"world"}]}"#
      ),
      (#"{"foo":1}"#, #"[{"op":"add","path":"/bar","value":true}]"#, #"{"foo":1,"bar":true}"#),
      (#"{"foo":1}"#, #"[{"op":"add","path":"/bar","value":null}]"#, #"{"foo":1,"bar":null}"#),
      (#"{"foo":1}"#, #"[{"op":"add","path":"/0","value":"bar"}]"#, #"{"foo":1,"0":"bar"}"#),
      (#"["foo"]"#, #"[{"op":"add","path":"/1","value":"bar"}]"#, #"["foo","bar"]"#),
      (#"["foo","sil"]"#, #"[{"op":"add","path":"/1","value":"bar"}]"#, #"["foo","bar","sil"]"#),
      (#"["foo","sil"]"#, #"[{"op":"add","path":"/0","value":"bar"}]"#, #"["bar","foo","sil"]"#),
      (#"["foo","sil"]"#, #"[{"op":"add","path":"/2","value":"bar"}]"#, #"["foo","sil","bar"]"#),
      (
        "[1,2,[3,[4,5]]]", #"[{"op":"add","path":"/2/1/-","value":{"foo":["bar","baz"]}}]"#,
        #"[1,2,[3,[4,5,{"foo":["bar","baz"]}]]]"#
      ),
      // Removing and replacing.
      (#"{"foo":1,"bar":[1,2,3,4]}"#, #"[{"op":"remove","path":"/bar"}]"#, #"{"foo":1}"#),
      (
        #"{"foo":1,"baz":[{"qux":"hello"}]}"#, #"[{"op":"remove","path":"/baz/0/qux"}]"#, #"{"foo":1,"baz":[{}]}"#
      ),
      ("[1,2,3,4]", #"[{"op":"remove","path":"/0"},{"op":"remove","path":"/2"}]"#, "[2,3]"),
      (#"{"foo":null}"#, #"[{"op":"remove","path":"/foo"}]"#, "{}"),
      (#"{"foo":null}"#, #"[{"op":"replace","path":"/foo","value":"truthy"}]"#, #"{"foo":"truthy"}"#),
      (#"{"foo":"bar"}"#, #"[{"op":"replace","path":"/foo","value":null}]"#, #"{"foo":null}"#),
      (#"[""]"#, #"[{"op":"replace","path":"/0","value":0}]"#, "[0]"),
      (#"[""]"#, #"[{"op":"replace","path":"/0","value":false}]"#, "[false]"),
      (#"["foo","sil"]"#, #"[{"op":"replace","path":"/1","value":["bar","baz"]}]"#, #"["foo",["bar","baz"]]"#),
      (#"{"foo":1}"#, #"[{"op":"replace","path":"/foo","value":1e400}]"#, #"{"foo":1e400}"#),
      // Moving and copying.
      (#"{"foo":null}"#, #"[{"op":"move","from":"/foo","path":"/bar"}]"#, #"{"bar":null}"#),
      (#"{"foo":null}"#, #"[{"op":"copy","from":"/foo","path":"/bar"}]"#, #"{"foo":null,"bar":null}"#),
      (#"{"foo":1}"#, #"[{"op":"move","from":"/foo","path":"/foo"}]"#, #"{"foo":1}"#),
      (
        #"{"foo":1,"baz":[{"qux":"hello"}]}"#, #"[{"op":"move","from":"/foo","path":"/bar"}]"#,
        #"{"baz":[{"qux":"hello"}],"bar":1}"#
      ),
      (
        #"{"baz":[{"qux":"hello"}],"bar":1}"#, #"[{"op":"move","from":"/baz/0/qux","path":"/baz/1"}]"#,
        #"{"baz":[{},"hello"],"bar":1}"#
      ),
      (
        #"{"baz":[{"qux":"hello"}],"bar":1}"#, #"[{"op":"copy","from":"/baz/0","path":"/boo"}]"#,
        #"{"baz":[{"qux":"hello"}],"bar":1,"boo":{"qux":"hello"}}"#
      ),
      // Testing: by value, whatever the order of the members and the spelling of numbers.
      (
        #"{"foo":{"foo":1,"bar":2}}"#, #"[{"op":"test","path":"/foo","value":{"bar":2,"foo":1}}]"#,
        #"{"foo":{"foo":1,"bar":2}}"#
      ),
      (
        #"{"foo":[{"foo":1,"bar":2}]}"#, #"[{"op":"test","path":"/foo","value":[{"bar":2,"foo":1}]}]"#,
        #"{"foo":[{"foo":1,"bar":2}]}"#
      ),
      (#"{"foo":null}"#, #"[{"op":"test","path":"/foo","value":null}]"#, #"{"foo":null}"#),
      (#"{"":1}"#, #"[{"op":"test","path":"/","value":1}]"#, #"{"":1}"#),
      (#"{"foo":1}"#, #"[{"op":"test","path":"","value":{"foo":1.0}}]"#, #"{"foo":1}"#),
      ("[1e2]", #"[{"op":"test","path":"/0","value":100}]"#, "[100]"),
      (
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#,
        #"[{"op":"test","path":"/foo/0","value":"bar"},{"op":"test","path":"/","value":0},{"op":"test","path":"/a~1b","value":1},{"op":"test","path":"/c%d","value":2},{"op":"test","path":"/e^f","value":3},{"op":"test","path":"/g|h","value":4},{"op":"test","path":"/i\\j","value":5},{"op":"test","path":"/k\"l","value":6},{"op":"test","path":"/ ","value":7},{"op":"test","path":"/m~0n","value":8}]"#,
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
      ),
    ])
  func applied(_ document: String, _ patch: String, _ result: String) throws {
    #expect(try JSONPatch(data: Data(patch.utf8)).applied(to: json(document)) == json(result))
  }

  @Test(
    "is refused, or can't be applied",
    arguments: [
      (#"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#),
      (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#),
      (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#),
      (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#),
      (#"{"bar":[1,2]}"#, #"[{"op":"add","path":"/bar/8","value":"5"}]"#),
      (#"{"bar":[1,2]}"#, #"[{"op":"add","path":"/bar/-1","value":"5"}]"#),
      (#"["foo","sil"]"#, #"[{"op":"add","path":"/3","value":"bar"}]"#),
      (#"["foo","sil"]"#, #"[{"op":"add","path":"/bar","value":42}]"#),
      (#"["foo"]"#, #"[{"op":"add","path":"/1e0","value":"bar"}]"#),
      (#"{"foo":1}"#, #"[{"op":"remove","path":"/baz"}]"#), ("[1,2,3,4]", #"[{"op":"remove","path":"/1e0"}]"#),
      (#"[""]"#, #"[{"op":"replace","path":"/1","value":1}]"#), ("[1]", #"[{"op":"replace","path":"/00","value":1}]"#),
      (#"["foo","bar"]"#, #"[{"op":"test","path":"/00","value":"foo"}]"#),
      (#"["foo","bar"]"#, #"[{"op":"test","path":"/1e0","value":"bar"}]"#),
      (#"{"foo":{"bar":1}}"#, #"[{"op":"move","from":"/foo","path":"/foo/bar"}]"#),
      (#"{"foo":1}"#, #"[{"op":"move","from":"/bar","path":"/baz"}]"#),
      (#"{"baz":[1]}"#, #"[{"op":"copy","from":"/baz/1e0","path":"/boo"}]"#),
      (#"["foo"]"#, #"[{"op":"test","path":"/0","value":null}]"#),
      ("[null]", #"[{"op":"test","path":"/1","value":null}]"#),
      ("{}", #"[{"op":"add","path":"/child"}]"#), ("{}", #"[{"op":"replace","path":"/a"}]"#),
      ("[1]", #"[{"op":"test","path":"/0"}]"#), ("{}", #"[{"path":"/a","value":1}]"#),
      ("{}", #"[{"op":"add","value":1}]"#),
      ("{}", #"[{"op":"add","path":null,"value":1}]"#), ("{}", #"[{"op":"add","path":"a","value":1}]"#),
      (#"{"foo":1}"#, #"[{"op":"copy","path":"/bar"}]"#), (#"{"foo":1}"#, #"[{"op":"move","path":"/bar"}]"#),
      (#"{"foo":1}"#, #"[{"op":"spam","path":"/foo","value":1}]"#), ("{}", #"{"op":"add","path":"/a","value":1}"#),
      ("18446744073709551615", #"[{"op":"test","path":"","value":18446744073709551616}]"#),
      ("0.1", #"[{"op":"test","path":"","value":0.10000000000000000000001}]"#),
      ("\"\u{e9}\"", "[{\"op\":\"test\",\"path\":\"\",\"value\":\"e\u{301}\"}]"),
      ("{\"\u{e9}\":1}", "[{\"op\":\"remove\",\"path\":\"/e\u{301}\"}]"),
    ])
  func refused(_ document: String, _ patch: String) throws {
    let document = try json(document)
    #expect(throws: (any Error).self) { try JSONPatch(data: Data(patch.utf8)).applied(to: document) }
  }
}
