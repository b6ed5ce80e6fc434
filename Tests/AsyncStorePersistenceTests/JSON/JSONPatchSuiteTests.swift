import AsyncStorePersistence
import Foundation
import Testing

/// The cases that the public suite of JSON Patch covers, with documents of our own.
///
/// Source: `tests.json` and `spec_tests.json` of github.com/json-patch/json-patch-tests. Each record of theirs,
/// including the disabled ones, has a case of its kind here. The examples of RFC 6902's appendix, A.1 to A.16, are
/// among them.
@Suite("A JSON patch, by the cases of the public suite")
struct JSONPatchSuiteTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let document: String
    let patch: String
    /// The resulting document, or `nil` if the patch is refused or can't be applied.
    let result: String?

    init(_ name: String, _ document: String, _ patch: String, _ result: String?) {
      self.name = name
      self.document = document
      self.patch = patch
      self.result = result
    }

    var testDescription: String { name }
  }

  private func json(_ text: String) throws -> JSONValue { try JSONValue(data: Data(text.utf8)) }

  private func check(_ example: Case) throws {
    let document = try json(example.document)
    let patched = Result { try JSONPatch(data: Data(example.patch.utf8)).applied(to: document) }
    guard let result = example.result else {
      #expect(throws: (any Error).self, "\(example.name): \(patched)") { try patched.get() }
      return
    }
    #expect(try patched.get() == json(result), "\(example.name)")
  }

  // MARK: Documents as a whole

  /// Documents as a whole, and patches without an operation.
  private static let documentsCases = [
    Case("an empty object and an empty patch", "{}", "[]", "{}"),
    Case("an empty array and an empty patch", "[]", "[]", "[]"),
    Case("members and an empty patch", #"{"year":1815}"#, "[]", #"{"year":1815}"#),
    Case("elements and an empty patch", #"["Emma"]"#, "[]", #"["Emma"]"#),
    Case("members in another order", #"{"year":1815,"pages":474}"#, "[]", #"{"pages":474,"year":1815}"#),
    Case(
      "members in another order inside an array", #"[{"year":1815,"pages":474}]"#,
      "[]",
      #"[{"pages":474,"year":1815}]"#),
    Case(
      "members in another order inside an object", #"{"book":{"year":1815,"pages":474}}"#,
      "[]",
      #"{"book":{"pages":474,"year":1815}}"#),
    Case(
      "a scalar as the document", #""Emma""#,
      #"[{"op":"replace","path":"","value":"Persuasion"}]"#,
      #""Persuasion""#),
    Case("an object that becomes an array", "{}", #"[{"op":"add","path":"","value":[]}]"#, "[]"),
    Case("an array that becomes an object", "[]", #"[{"op":"add","path":"","value":{}}]"#, "{}"),
    Case(
      "the whole document added", #"{"year":1815}"#,
      #"[{"op":"add","path":"","value":{"pages":474}}]"#,
      #"{"pages":474}"#),
    Case(
      "the whole document replaced", #"{"year":1815}"#,
      #"[{"op":"replace","path":"","value":{"pages":474}}]"#,
      #"{"pages":474}"#),
    Case(
      "the whole document tested", #"{"year":1815}"#,
      #"[{"op":"test","path":"","value":{"year":1815}}]"#,
      #"{"year":1815}"#),
    Case(
      "the whole document copied into itself", #"{"year":1815}"#,
      #"[{"op":"copy","from":"","path":"/old"}]"#,
      #"{"year":1815,"old":{"year":1815}}"#),
    Case(
      "a member moved to the whole document", #"{"book":{"year":1815}}"#,
      #"[{"op":"move","from":"/book","path":""}]"#,
      #"{"year":1815}"#),
  ]

  @Test("A JSON patch leaves a whole document alone, or replaces it", arguments: documentsCases)
  func documents(_ example: Case) throws { try check(example) }

  // MARK: Additions

  /// The effects of `add` on members and elements.
  private static let additionsCases = [
    Case(
      "a member that is there: it is replaced", #"{"title":null}"#,
      #"[{"op":"add","path":"/title","value":7}]"#,
      #"{"title":7}"#),
    Case("a first element", "[]", #"[{"op":"add","path":"/0","value":"Emma"}]"#, #"["Emma"]"#),
    Case("an element behind the last, by -", "[]", #"[{"op":"add","path":"/-","value":"Emma"}]"#, #"["Emma"]"#),
    Case(
      "an object behind the last, by -", "[4,5]",
      #"[{"op":"add","path":"/-","value":{"tags":["x","y"]}}]"#,
      #"[4,5,{"tags":["x","y"]}]"#),
    Case(
      "an array behind the last, by -, as one element", #"["a"]"#,
      #"[{"op":"add","path":"/-","value":["b","c"]}]"#,
      #"["a",["b","c"]]"#),
    Case(
      "behind the last, by -, several levels down", "[8,[7,[6,5]]]",
      #"[{"op":"add","path":"/1/1/-","value":{"tags":["x"]}}]"#,
      #"[8,[7,[6,5,{"tags":["x"]}]]]"#),
    Case("a string of digits", "{}", #"[{"op":"add","path":"/shelf","value":"12"}]"#, #"{"shelf":"12"}"#),
    Case("a number", "{}", #"[{"op":"add","path":"/shelf","value":12}]"#, #"{"shelf":12}"#),
    Case("true", #"{"year":1815}"#, #"[{"op":"add","path":"/lent","value":true}]"#, #"{"year":1815,"lent":true}"#),
    Case("false", #"{"year":1815}"#, #"[{"op":"add","path":"/lent","value":false}]"#, #"{"year":1815,"lent":false}"#),
    Case("null", #"{"year":1815}"#, #"[{"op":"add","path":"/lent","value":null}]"#, #"{"year":1815,"lent":null}"#),
    Case(
      "an array as a member", #"{"year":1815}"#,
      #"[{"op":"add","path":"/parts","value":[1,2,3]}]"#,
      #"{"year":1815,"parts":[1,2,3]}"#),
    Case("a member whose name is empty", "{}", #"[{"op":"add","path":"/","value":3}]"#, #"{"":3}"#),
    Case(
      "a member whose name is empty, below another", #"{"book":{}}"#,
      #"[{"op":"add","path":"/book/","value":3}]"#,
      #"{"book":{"":3}}"#),
    Case(
      "a member of an element", #"{"books":[{"title":"Emma"}]}"#,
      #"[{"op":"add","path":"/books/0/year","value":1815}]"#,
      #"{"books":[{"title":"Emma","year":1815}]}"#),
    Case(
      "a member whose name is a digit", #"{"year":1815}"#,
      #"[{"op":"add","path":"/0","value":"a"}]"#,
      #"{"year":1815,"0":"a"}"#),
    Case(
      "a member whose name differs in case only", #"{"year":1815}"#,
      #"[{"op":"add","path":"/YEAR","value":1816}]"#,
      #"{"year":1815,"YEAR":1816}"#),
    Case("before the first", #"["b","d"]"#, #"[{"op":"add","path":"/0","value":"a"}]"#, #"["a","b","d"]"#),
    Case("in the middle", #"["b","d"]"#, #"[{"op":"add","path":"/1","value":"c"}]"#, #"["b","c","d"]"#),
    Case(
      "behind the last, by its index", #"["b","d"]"#,
      #"[{"op":"add","path":"/2","value":"e"}]"#,
      #"["b","d","e"]"#),
    Case(
      "an array as one element", #"["b","d"]"#,
      #"[{"op":"add","path":"/1","value":["c","c"]}]"#,
      #"["b",["c","c"],"d"]"#),
    Case("too far behind the last", #"["b","d"]"#, #"[{"op":"add","path":"/3","value":"f"}]"#, nil),
    Case("far behind the last of a member", #"{"parts":[1,2]}"#, #"[{"op":"add","path":"/parts/9","value":3}]"#, nil),
    Case("at a negative index", #"{"parts":[1,2]}"#, #"[{"op":"add","path":"/parts/-1","value":3}]"#, nil),
    Case("at a name in an array", #"["b","d"]"#, #"[{"op":"add","path":"/title","value":1}]"#, nil),
    Case("at a number with an exponent", #"["b","d"]"#, #"[{"op":"add","path":"/1e0","value":"c"}]"#, nil),
    Case(
      "below a member that is missing", #"{"book":{"year":1815}}"#,
      #"[{"op":"add","path":"/shelf/first","value":1}]"#,
      nil),
    Case("below a scalar", #"{"year":1815}"#, #"[{"op":"add","path":"/year/first","value":1}]"#, nil),
  ]

  @Test("A JSON patch adds members and elements", arguments: additionsCases)
  func additions(_ example: Case) throws { try check(example) }

  // MARK: Removals

  /// The values that `remove` removes.
  private static let removalsCases = [
    Case("a member", #"{"year":1815,"parts":[1,2,3]}"#, #"[{"op":"remove","path":"/parts"}]"#, #"{"year":1815}"#),
    Case("a member that is null", #"{"lent":null}"#, #"[{"op":"remove","path":"/lent"}]"#, "{}"),
    Case(
      "a member of an element", #"{"year":1815,"books":[{"title":"Emma"}]}"#,
      #"[{"op":"remove","path":"/books/0/title"}]"#,
      #"{"year":1815,"books":[{}]}"#),
    Case("the first element", #"["a","b","c"]"#, #"[{"op":"remove","path":"/0"}]"#, #"["b","c"]"#),
    Case(
      "elements one after the other", #"["a","b","c","d"]"#,
      #"[{"op":"remove","path":"/1"},{"op":"remove","path":"/2"}]"#,
      #"["a","c"]"#),
    Case("a member that is missing", #"{"year":1815}"#, #"[{"op":"remove","path":"/pages"}]"#, nil),
    Case("an element that is missing", #"["a","b"]"#, #"[{"op":"remove","path":"/2"}]"#, nil),
    Case("the element behind the last", #"["a","b"]"#, #"[{"op":"remove","path":"/-"}]"#, nil),
    Case("an element by a number with an exponent", #"["a","b","c"]"#, #"[{"op":"remove","path":"/1e0"}]"#, nil),
    Case(
      "below an element by a number with an exponent", #"{"books":[{"title":"Emma"},{}]}"#,
      #"[{"op":"remove","path":"/books/1e0/title"}]"#,
      nil),
  ]

  @Test("A JSON patch removes members and elements", arguments: removalsCases)
  func removals(_ example: Case) throws { try check(example) }

  // MARK: Replacements

  /// The values that `replace` sets in place of others.
  private static let replacementsCases = [
    Case(
      "a member by an array", #"{"year":1815,"books":[]}"#,
      #"[{"op":"replace","path":"/year","value":[1,8,1,5]}]"#,
      #"{"year":[1,8,1,5],"books":[]}"#),
    Case(
      "a member of an element", #"{"books":[{"title":"Emma"}]}"#,
      #"[{"op":"replace","path":"/books/0/title","value":"Ivanhoe"}]"#,
      #"{"books":[{"title":"Ivanhoe"}]}"#),
    Case("an element", #"["Emma"]"#, #"[{"op":"replace","path":"/0","value":"Ivanhoe"}]"#, #"["Ivanhoe"]"#),
    Case("an empty string by zero", #"[""]"#, #"[{"op":"replace","path":"/0","value":0}]"#, "[0]"),
    Case("an empty string by true", #"[""]"#, #"[{"op":"replace","path":"/0","value":true}]"#, "[true]"),
    Case("an empty string by false", #"[""]"#, #"[{"op":"replace","path":"/0","value":false}]"#, "[false]"),
    Case("an empty string by null", #"[""]"#, #"[{"op":"replace","path":"/0","value":null}]"#, "[null]"),
    Case(
      "an element by an array", #"["a","b"]"#,
      #"[{"op":"replace","path":"/1","value":["c","d"]}]"#,
      #"["a",["c","d"]]"#),
    Case(
      "null by a string", #"{"lent":null}"#,
      #"[{"op":"replace","path":"/lent","value":"Ada"}]"#,
      #"{"lent":"Ada"}"#),
    Case(
      "a string by null", #"{"lent":"Ada"}"#,
      #"[{"op":"replace","path":"/lent","value":null}]"#,
      #"{"lent":null}"#),
    Case(
      "a member by a number beyond a double", #"{"year":1815}"#,
      #"[{"op":"replace","path":"/year","value":2e999}]"#,
      #"{"year":2e999}"#),
    Case("a member that is missing", #"{"year":1815}"#, #"[{"op":"replace","path":"/pages","value":1}]"#, nil),
    Case(
      "below a member that is missing", #"{"year":1815}"#,
      #"[{"op":"replace","path":"/book/year","value":1}]"#,
      nil),
    Case("an element that is missing", #"["a"]"#, #"[{"op":"replace","path":"/1","value":"b"}]"#, nil),
    Case("an element by a number with an exponent", #"["a"]"#, #"[{"op":"replace","path":"/0e0","value":"b"}]"#, nil),
    Case(
      "an element by a number with leading zeros", #"["a"]"#,
      #"[{"op":"replace","path":"/00","value":"b"}]"#,
      nil),
  ]

  @Test("A JSON patch replaces members and elements", arguments: replacementsCases)
  func replacements(_ example: Case) throws { try check(example) }

  // MARK: Moves and copies

  /// The values that `move` and `copy` transfer from one place to another.
  private static let transfersCases = [
    Case(
      "a member to another name", #"{"year":1815,"books":[{}]}"#,
      #"[{"op":"move","from":"/year","path":"/printed"}]"#,
      #"{"books":[{}],"printed":1815}"#),
    Case(
      "a member to where it is", #"{"year":1815}"#,
      #"[{"op":"move","from":"/year","path":"/year"}]"#,
      #"{"year":1815}"#),
    Case(
      "a member to another object", #"{"old":{"a":1,"b":2},"new":{"c":3}}"#,
      #"[{"op":"move","from":"/old/b","path":"/new/d"}]"#,
      #"{"old":{"a":1},"new":{"c":3,"d":2}}"#),
    Case(
      "a member of an element behind it", #"{"books":[{"title":"Emma"}],"year":1815}"#,
      #"[{"op":"move","from":"/books/0/title","path":"/books/1"}]"#,
      #"{"books":[{},"Emma"],"year":1815}"#),
    Case(
      "an element behind others", #"["w","x","y","z"]"#,
      #"[{"op":"move","from":"/0","path":"/2"}]"#,
      #"["x","y","w","z"]"#),
    Case("null, moved", #"{"lent":null}"#, #"[{"op":"move","from":"/lent","path":"/kept"}]"#, #"{"kept":null}"#),
    Case(
      "null, copied", #"{"lent":null}"#,
      #"[{"op":"copy","from":"/lent","path":"/kept"}]"#,
      #"{"lent":null,"kept":null}"#),
    Case(
      "an element, copied to a member", #"{"books":[{"title":"Emma"}],"year":1815}"#,
      #"[{"op":"copy","from":"/books/0","path":"/first"}]"#,
      #"{"books":[{"title":"Emma"}],"year":1815,"first":{"title":"Emma"}}"#),
    Case(
      "a value into itself", #"{"book":{"year":1815}}"#,
      #"[{"op":"move","from":"/book","path":"/book/year"}]"#,
      nil),
    Case(
      "a member that is missing, moved", #"{"year":1815}"#,
      #"[{"op":"move","from":"/pages","path":"/size"}]"#,
      nil),
    Case(
      "a member that is missing, copied", #"{"year":1815}"#,
      #"[{"op":"copy","from":"/pages","path":"/size"}]"#,
      nil),
    Case(
      "from a number with an exponent, moved", #"{"year":1815,"parts":[1,2,3]}"#,
      #"[{"op":"move","from":"/parts/1e0","path":"/year"}]"#,
      nil),
    Case(
      "from a number with an exponent, copied", #"{"year":1815,"parts":[1,2,3]}"#,
      #"[{"op":"copy","from":"/parts/1e0","path":"/size"}]"#,
      nil),
  ]

  @Test("A JSON patch moves and copies values", arguments: transfersCases)
  func transfers(_ example: Case) throws { try check(example) }

  // MARK: Equality

  /// The values that `test` considers equal.
  private static let equalityCases = [
    Case(
      "two members, one after the other", #"{"title":"Emma","parts":["a",2]}"#,
      #"[{"op":"test","path":"/title","value":"Emma"},{"op":"test","path":"/parts/1","value":2}]"#,
      #"{"title":"Emma","parts":["a",2]}"#),
    Case(
      "members in another order", #"{"book":{"year":1815,"pages":474}}"#,
      #"[{"op":"test","path":"/book","value":{"pages":474,"year":1815}}]"#,
      #"{"book":{"year":1815,"pages":474}}"#),
    Case(
      "members in another order inside an array", #"{"books":[{"year":1815,"pages":474}]}"#,
      #"[{"op":"test","path":"/books","value":[{"pages":474,"year":1815}]}]"#,
      #"{"books":[{"year":1815,"pages":474}]}"#),
    Case(
      "an object with an array", #"{"book":{"parts":[3,1,2]}}"#,
      #"[{"op":"test","path":"/book","value":{"parts":[3,1,2]}}]"#,
      #"{"book":{"parts":[3,1,2]}}"#),
    Case("null", #"{"lent":null}"#, #"[{"op":"test","path":"/lent","value":null}]"#, #"{"lent":null}"#),
    Case(
      "a name that looks like a number", #"{"1e0":"a"}"#,
      #"[{"op":"test","path":"/1e0","value":"a"}]"#,
      #"{"1e0":"a"}"#),
    Case(
      "another spelling of a number", #"{"year":1815}"#,
      #"[{"op":"test","path":"","value":{"year":1815.0}}]"#,
      #"{"year":1815}"#),
    Case("an exponent", "[3e2]", #"[{"op":"test","path":"/0","value":300}]"#, "[300]"),
    Case(
      "an array, of an object", #"{"book":{"parts":[3,1,2]}}"#,
      #"[{"op":"test","path":"/book","value":[3,1]}]"#,
      nil),
    Case("another string", #"{"title":"Emma"}"#, #"[{"op":"test","path":"/title","value":"Ivanhoe"}]"#, nil),
    Case("a string, of a number", #"{"~1":15}"#, #"[{"op":"test","path":"/~01","value":"15"}]"#, nil),
    Case("null, of a string", #"["a"]"#, #"[{"op":"test","path":"/0","value":null}]"#, nil),
    Case("null, of an element that is missing", "[null]", #"[{"op":"test","path":"/1","value":null}]"#, nil),
    Case(
      "an element by a number with an exponent", #"["a","b"]"#,
      #"[{"op":"test","path":"/1e0","value":"b"}]"#,
      nil),
    Case("an element by zeros", #"["a","b"]"#, #"[{"op":"test","path":"/00","value":"a"}]"#, nil),
    Case(
      "an element by a number with a leading zero", #"["a","b"]"#,
      #"[{"op":"test","path":"/01","value":"b"}]"#,
      nil),
    Case(
      "a number that is greater by one, beyond 64 bits", "18446744073709551615",
      #"[{"op":"test","path":"","value":18446744073709551616}]"#,
      nil),
    Case(
      "a number that differs beyond a double", "0.1",
      #"[{"op":"test","path":"","value":0.10000000000000000000001}]"#,
      nil),
  ]

  @Test("A JSON patch tests values for equality", arguments: equalityCases)
  func equality(_ example: Case) throws { try check(example) }

  // MARK: The names that a pointer can spell

  /// The names that a pointer can spell: `~1` for `/`, `~0` for `~`, and all else as it is.
  private static let pointersCases = [
    Case(
      "by /list", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/list","value":["a","b"]}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /list/0",
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/list/0","value":"a"}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/","value":10}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /x~1y", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/x~1y","value":11}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /p%q", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/p%q","value":12}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /u^v", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/u^v","value":13}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /r|s", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/r|s","value":14}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      #"by /b\c"#, #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/b\\c","value":15}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      #"by /d\"e"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/d\"e","value":16}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by / ", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/ ","value":17}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case(
      "by /t~0w", #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#,
      #"[{"op":"test","path":"/t~0w","value":18}]"#,
      #"{"list":["a","b"],"":10,"x/y":11,"p%q":12,"u^v":13,"r|s":14,"b\\c":15,"d\"e":16," ":17,"t~w":18}"#),
    Case("by /~01 to ~1", #"{"/":9,"~1":15}"#, #"[{"op":"test","path":"/~01","value":15}]"#, #"{"/":9,"~1":15}"#),
  ]

  @Test("A JSON patch points to members of any name", arguments: pointersCases)
  func pointers(_ example: Case) throws { try check(example) }

  // MARK: Operations

  /// The parts that make up an operation, and a patch.
  private static let operationsCases = [
    Case(
      "a member that nobody knows, beside test", #"{"year":1815}"#,
      #"[{"op":"test","path":"/year","value":1815,"note":1}]"#,
      #"{"year":1815}"#),
    Case(
      "a member that nobody knows, beside add", #"{"year":1815}"#,
      #"[{"op":"add","path":"/pages","value":474,"note":"x"}]"#,
      #"{"year":1815,"pages":474}"#),
    Case(
      "an object inside an object", #"{"year":1815}"#,
      #"[{"op":"add","path":"/shelf","value":{"box":{}}}]"#,
      #"{"year":1815,"shelf":{"box":{}}}"#),
    Case("add without a value", "[1]", #"[{"op":"add","path":"/-"}]"#, nil),
    Case("replace without a value", "[1]", #"[{"op":"replace","path":"/0"}]"#, nil),
    Case("test without a value, of null", "[null]", #"[{"op":"test","path":"/0"}]"#, nil),
    Case("test without a value, of false", "[false]", #"[{"op":"test","path":"/0"}]"#, nil),
    Case("copy without its origin", "[1]", #"[{"op":"copy","path":"/-"}]"#, nil),
    Case("move without its origin", #"{"year":1815}"#, #"[{"op":"move","path":""}]"#, nil),
    Case(
      "two names of an operation", #"{"year":1815}"#,
      #"[{"op":"add","path":"/pages","value":1,"op":"remove"}]"#,
      nil),
    Case(
      "two names, of which the second would do", #"{"year":1815}"#,
      #"[{"op":"add","path":"/pages","value":1,"op":"move","from":"/year"}]"#,
      nil),
    Case("no name of an operation", "{}", #"[{"path":"/year","value":1}]"#, nil),
    Case("a name that nobody knows", #"{"year":1815}"#, #"[{"op":"swap","path":"/year","value":1}]"#, nil),
    Case("no path", "{}", #"[{"op":"add","value":1}]"#, nil),
    Case("null for a path", "{}", #"[{"op":"add","path":null,"value":1}]"#, nil),
    Case("a path that does not begin with /", "{}", #"[{"op":"add","path":"year","value":1}]"#, nil),
    Case("an operation that is not in an array", "{}", #"{"op":"add","path":"/year","value":1}"#, nil),
  ]

  @Test("A JSON patch consists of whole operations", arguments: operationsCases)
  func operations(_ example: Case) throws { try check(example) }

  // MARK: Spelling

  @Test(
    "A JSON patch tells canonically equal strings apart",
    arguments: [
      ("\"\u{e9}\"", "[{\"op\":\"test\",\"path\":\"\",\"value\":\"e\u{301}\"}]"),
      ("{\"\u{e9}\":1}", "[{\"op\":\"remove\",\"path\":\"/e\u{301}\"}]"),
    ])
  func canonicalEquality(_ document: String, _ patch: String) throws {
    try check(Case("canonically equal", document, patch, nil))
  }
}
