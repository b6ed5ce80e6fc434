import AsyncStoreActions
import Foundation
import Testing

@Suite("A line of a log of actions")
struct ActionLogLineTests {
  let store = BoardStore()

  @Test("A log line that does not hold exactly one entry is refused with its number")
  func ambiguousLines() throws {
    let initial = #"{"cells":{},"items":[],"left":{"count":0,"note":""},"lines":[],"total":0}"#
    let head = #"{"format":"asyncstore-actions","index":0,"state":\#(initial),"version":1}"#
    let state = #"{"cells":{},"items":[],"left":{"count":0,"note":""},"lines":[],"total":1}"#
    let action = #"{"add":{"_0":1}}"#
    for line in [
      #"{"action":\#(action),"set":\#(state)}"#, #"{"action":\#(action),"state":\#(state)}"#,
      #"{"set":\#(state),"state":\#(state)}"#, #"{}"#, #"{"set":null,"action":\#(action)}"#,
    ] {
      let data = Data("\(head)\n{\"action\":\(action)}\n\(line)\n".utf8)
      let error = #expect(throws: ActionLogError.self, "\(line)") { try ActionLog<Board>(jsonLines: data) }
      #expect(error?.code == .malformed)
      #expect(error?.line == 3)
    }
    let both = Data(#"{"action":\#(action),"set":\#(state)}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ActionLog<Board>.Change.self, from: both) }
  }

  @Test("An empty log line is refused with its number, unless it is the last one")
  func emptyLine() throws {
    store.startRecording()
    store.send([.add(1), .add(2)])
    let text = String(decoding: try #require(store.actionLog).jsonLines(), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    let broken = [lines[0], lines[1], "", lines[2]].joined(separator: "\n")
    let error = #expect(throws: ActionLogError.self) { try ActionLog<Board>(jsonLines: Data(broken.utf8)) }
    #expect(error?.code == .malformed && error?.line == 3)
    #expect(try ActionLog<Board>(jsonLines: Data(lines.joined(separator: "\n").utf8)).count == 2)
  }

  @Test("A log line with a duplicate or unknown key is refused with its number and the key")
  func doubledAndUnknownKeys() throws {
    let initial = #"{"cells":{},"items":[],"left":{"count":0,"note":""},"lines":[],"total":0}"#
    let head = #"{"format":"asyncstore-actions","index":0,"state":\#(initial),"version":1}"#
    let action = #"{"add":{"_0":1}}"#
    func error(_ head: String, _ line: String) -> ActionLogError? {
      #expect(throws: ActionLogError.self, "\(head) \(line)") {
        try ActionLog<Board>(jsonLines: Data("\(head)\n\(line)\n".utf8))
      }
    }
    for (line, word) in [
      (#"{"action":\#(action),"action":{"add":{"_0":2}}}"#, "action"), (#"{"action":\#(action),"junk":1}"#, "junk"),
      (#"{"junk":{"a":":\"}"},"action":\#(action)}"#, "junk"),
      (#"{"action":\#(action) , "\u0061ction" : {"add":{"_0":2}}}"#, "action"),
      (#"{"action":{"add":{"_0":1,"_0":2}}}"#, "_0"),
      (#"{"state":\#(initial.replacing(#""total""#, with: #""left":{"count":0,"note":""},"total""#))}"#, "left"),
      (#"{"set":\#(initial),"set":\#(initial)}"#, "set"), (#"{"state":\#(initial),"state":\#(initial)}"#, "state"),
    ] {
      let error = error(head, line)
      #expect(error?.code == .malformed && error?.line == 2)
      #expect(error?.description.contains(word) == true, "\(line)")
    }
    for (addition, word) in [(#""index":3,"#, "index"), (#""junk":1,"#, "junk")] {
      let error = error("{" + addition + head.dropFirst(), #"{"action":\#(action)}"#)
      #expect(error?.code == .malformed && error?.line == 1)
      #expect(error?.description.contains(word) == true)
    }
    // Texts that only look like keys, and equal keys of different objects.
    let note = #"a\",\"total\":1,{[\\"#
    let state = initial.replacing(#""note":"""#, with: #""note":"\#(note)""#)
    let good = Data("\(head)\n{\"set\":\(state)}\n{ \"action\" : \(action) }\n".utf8)
    #expect(try ActionLog<Board>(jsonLines: good).replay().left.note == #"a","total":1,{[\"#)
    let junk = Data(#"{"action":\#(action),"junk":1}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ActionLog<Board>.Change.self, from: junk) }
  }

  @Test("A log line that is not UTF-8 is refused, because a duplicate key could go unnoticed in it")
  func otherEncodings() throws {
    let head =
      #"{"format":"asyncstore-actions","index":0,"state":{"cells":{},"items":[],"left":{"count":0,"note":""},"lines":[],"total":0},"version":1}"#
    #expect(try ActionLog<Board>(jsonLines: Data(head.utf8)).count == 0)
    for encoding in [.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] as [String.Encoding] {
      let error = #expect(throws: ActionLogError.self) {
        try ActionLog<Board>(jsonLines: try #require(head.data(using: encoding)))
      }
      #expect(error?.line == 1)
    }
  }

  @Test("A log line with a state that contradicts an earlier line is refused with its number")
  func contradictingStates() throws {
    let left = #""cells":{},"items":[],"left":{"count":0,"note":""},"lines":[]"#
    func state(_ total: Int) -> String { #"{"state":{\#(left),"total":\#(total)}}"# }
    let head = #"{"format":"asyncstore-actions","index":0,"state":{\#(left),"total":0},"version":1}"#
    let action = #"{"action":{"add":{"_0":1}}}"#
    for (lines, number) in [([state(5), action], 2), ([action, state(99), state(1)], 4)] {
      let data = Data((CollectionOfOne(head) + lines).joined(separator: "\n").utf8)
      let error = #expect(throws: ActionLogError.self) { try ActionLog<Board>(jsonLines: data) }
      #expect(error?.code == .malformed && error?.line == number)
    }
    let same = [head, state(0), action, state(1), state(1)].joined(separator: "\n")
    #expect(try ActionLog<Board>(jsonLines: Data(same.utf8)).replay().total == 1)
  }

  @Test("An action log records every action, and other changes only if they change the state")
  func changesOfNothing() throws {
    store.startRecording()
    store.send([])
    store.receive(.send([]))
    store.receive(.set { _ in })
    store.send(.keep)
    store.receive(.set(\.total, to: 0))
    store.receive(.silently { _ in })
    store.begin(StateTransaction<Board, Service>("nothing") { (_: inout Board) in })
    #expect(try #require(store.actionLog).changes.elementsEqual([.action(.keep)]))
    store.receive(.set(\.total, to: 3))
    store.receive(.set(\.total, to: 3))
    store.send(.add(1))
    store.receive(.set(\.total, to: 4))
    store.receive(.set(\.total, to: 3))
    let log = try #require(store.actionLog)
    #expect(
      log.changes.elementsEqual([
        .action(.keep), .state(Board(total: 3)), .action(.add(1)), .state(Board(total: 3)),
      ]))
    #expect(try log.replay() == store.state)
  }

  @Test("A change without effect after travelling back drops nothing from the action log")
  func changeOfNothingAfterJourney() throws {
    store.startRecording(checkpointEvery: 1)
    for _ in 0..<5 { store.send(.add(1)) }
    try store.travel(to: 2)
    store.receive(.set { _ in })
    #expect(store.actionLog?.count == 5)
    try store.travel(to: 5)
    #expect(store.total == 5)
  }
}
