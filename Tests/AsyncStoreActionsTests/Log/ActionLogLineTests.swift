import AsyncStoreActions
import Foundation
import Testing

@Suite("A line of a log of actions")
struct ActionLogLineTests {
  let store = BoardStore()

  @Test("that is two lines in one is refused, by its number")
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

  @Test("that says another state than one before it is refused, by its number")
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

  @Test("is there for every action, and for nothing else that changes nothing")
  func changesOfNothing() throws {
    store.record()
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

  @Test("stays after a journey when something changes nothing")
  func changeOfNothingAfterJourney() throws {
    store.record(checkpointEvery: 1)
    for _ in 0..<5 { store.send(.add(1)) }
    try store.travel(to: 2)
    store.receive(.set { _ in })
    #expect(store.actionLog?.count == 5)
    try store.travel(to: 5)
    #expect(store.total == 5)
  }
}
