import Foundation
import Testing

@testable import AsyncStorePersistence

@Suite("The order of a set's elements")
struct JSONSortKeyTests {
  @Test("Sorting the elements of a set creates one key for each")
  func keys() {
    var generator = SplitMix64(seed: 8)
    var count = 0
    let sorted = (0..<1_000).shuffled(using: &generator).sorted { number in
      count += 1
      return JSONSortKey(.number(JSONNumber(number)))
    }
    #expect(sorted == Array(0..<1_000))
    #expect(count == 1_000)
  }

  @Test("The elements of a set are ordered by kind, then by value, and containers by what differs first")
  func order() throws {
    let text = """
      [null,false,true,-1e400,-9223372036854775809,-9223372036854775808,-1.5,-1,-0,0.5,1,10,1e1000,"","A","a","é",[],\
      [1],[1,0],[2],[[]],{},{"a":1},{"a":1,"b":0},{"a":2},{"b":0}]
      """
    let elements = try JSONValue(data: Data(text.utf8)).decoded(as: [JSONValue].self)
    var generator = SplitMix64(seed: 8)
    for _ in 0..<20 {
      #expect(try JSONValue(encoding: Set(elements.shuffled(using: &generator))) == .array(elements))
      var keyed: [JSONValue: Int] = [:]
      for (index, element) in elements.enumerated().shuffled(using: &generator) { keyed[element] = index }
      let pairs = elements.enumerated().flatMap { [$1, .number(JSONNumber($0))] }
      #expect(try JSONValue(encoding: keyed) == .array(pairs))
    }
  }

  @Test("Two spellings of a number have equal sort keys")
  func spellings() {
    for (one, other) in [("1", "1.0"), ("0", "-0"), ("10", "1e1"), ("-0.0", "0")] {
      let (one, other) = (JSONNumber(checked: one), JSONNumber(checked: other))
      #expect(JSONSortKey(.number(one)) == JSONSortKey(.number(other)), "\(one), \(other)")
    }
  }

  @Test("Elements that begin with the same deep part are compared in linear time")
  func deepPrefix() throws {
    let deep = (0..<400).reduce(1 as JSONValue) { value, _ in .array([value]) }
    let encoded = try JSONValue(encoding: Set<JSONValue>([[deep, 2], [deep, 1]]))
    #expect(encoded == [[deep, 1], [deep, 2]])
  }
}
