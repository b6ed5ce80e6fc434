import AsyncStorePersistence
import Foundation
import Testing

@Suite("A difference of states")
struct StateDiffTests {
  struct Sample: Codable, Equatable, Sendable {
    var count = 0
    var label = "Foo"
    var nullableLabel: String? = "Bar"
    var nested = Nested()
    var array = [Nested(), Nested()]

    struct Nested: Codable, Equatable, Sendable { var label = "Nested struct" }
  }

  @Test("A state diff has the flat paths of exactly the values that were added, changed and removed")
  func paths() throws {
    var after = Sample()
    after.label = "Bar"
    after.nullableLabel = nil
    after.nested.label = "Bar"
    after.array[0].label = "New"
    after.array.append(Sample.Nested(label: "Added"))
    let diff = try StateDiff(from: Sample(), to: after)
    #expect(
      diff.changes == [
        "label": .changed(old: "Foo", new: "Bar"), "nullableLabel": .removed(old: "Bar"),
        "nested/label": .changed(old: "Nested struct", new: "Bar"),
        "array/0/label": .changed(old: "Nested struct", new: "New"), "array/2/label": .added(new: "Added"),
      ])
    #expect(try StateDiff(from: after, to: Sample()).changes["nullableLabel"] == .added(new: "Bar"))
    #expect(try StateDiff(from: after, to: after).isEmpty)
    #expect(try diff.patch.applied(to: Sample()) == after)
  }

  @Test("A state diff is not empty if a list becomes an object with the same paths")
  func listAndObject() throws {
    let diff = try StateDiff<JSONValue>(from: [1, 2], to: ["0": 1, "1": 2])
    #expect(diff.changes.isEmpty)
    #expect(!diff.isEmpty)
    #expect(try diff.patch.applied(to: diff.before) == diff.after)
  }

  @Test("A JSON document is flattened into its leaves")
  func flattening() throws {
    let document: JSONValue = [
      "user": ["name": "John", "a/b~c": 1], "tokens": ["foo", "bar"], "none": nil, "empty": [:], "list": [],
    ]
    #expect(
      document.flattened == [
        "user/name": "John", "user/a~1b~0c": 1, "tokens/0": "foo", "tokens/1": "bar", "none": nil, "empty": [:],
        "list": [],
      ])
    #expect((3 as JSONValue).flattened == ["": 3])
  }

  @Test("A state diff returns the change of a property")
  func query() throws {
    let diff = try StateDiff(from: Sample(), to: Sample(count: 2, nullableLabel: nil))
    #expect(diff.change(of: \.count) == .changed(old: 0, new: 2))
    #expect(diff.change(of: \.nested.label).isChanged == false)
    #expect(diff.change(of: \.nullableLabel).isRemoved)
    #expect(try StateDiff(from: diff.after, to: Sample()).change(of: \.nullableLabel).isAdded)
  }

  @Test("A state diff is written as JSON")
  func json() throws {
    let diff = try StateDiff(from: Sample(), to: Sample(count: 2))
    #expect(String(decoding: try diff.json, as: UTF8.self) == #"{"count":{"kind":"changed","new":2,"old":0}}"#)
    #expect("\(diff)" == "count: changed 0 to 2")
  }

  @Test("A store publishes one state diff for each change, and one for a whole transaction")
  func store() async throws {
    let store = AsyncStore(state: Sample(), env: ())
    let diffs = store.diffs(of: \.self)
    store.receive(.set(\.count, to: 1))
    store.receive(.set(\.count, to: 1))
    store.begin(
      StateTransaction("two") { state in
        state.count = 2
        state.label = "x"
      })
    store.begin(
      StateTransaction("fails") { state in
        state.count = 3
        throw MemoryStorage.Broken()
      })
    store.deactivate()
    var paths: [[JSONString]] = []
    for await diff in diffs { paths.append(diff.changes.keys.sorted()) }
    #expect(paths == [["count"], ["count", "label"]])
  }

  @Test("A state diff begins where the one before it ended, even after a silent change")
  func silentChanges() async throws {
    let store = AsyncStore(state: Sample(), env: ())
    let diffs = store.diffs(of: \.self)
    store.receive(.set(\.count, to: 1))
    store.receive(.silently { $0.nested.label = "New" })
    store.receive(.set(\.count, to: 2))
    store.deactivate()
    var state = Sample()
    for await diff in diffs { state = try diff.patch.applied(to: state) }
    #expect(state == store.state)
  }

  struct Reading: Codable, Equatable, Sendable {
    var value = 0.0
    var note = ""
  }

  @Test("State diffs leave out no change because of a value that can't be encoded")
  func notEncodable() async throws {
    let store = AsyncStore(state: Reading(), env: ())
    let diffs = store.diffs(of: \.self)
    for value in [1, .nan, 2] { store.receive(.set(\.value, to: value)) }
    store.receive(.set(\.value, to: .nan))
    store.receive(.set(\.note, to: "in between"))
    store.receive(.set(\.value, to: 3))
    store.deactivate()
    var (state, values) = (Reading(), [Double]())
    for await diff in diffs {
      state = try diff.patch.applied(to: state)
      values.append(state.value)
    }
    #expect(state == store.state && values == [1, 2, 3])
  }

  @Test("State diffs begin with the first value that can be encoded")
  func notEncodableAtFirst() async throws {
    let store = AsyncStore(state: Reading(value: .nan), env: ())
    let diffs = store.diffs(of: \.self)
    for value in [1, 2.0] { store.receive(.set(\.value, to: value)) }
    store.deactivate()
    var changes: [[JSONString: JSONChange]] = []
    for await diff in diffs { changes.append(diff.changes) }
    #expect(changes == [["value": .changed(old: 1, new: 2)]])
  }

  @Test("A state diff names the transaction that made it, if there was one")
  func transactions() async {
    let store = AsyncStore(state: Sample(), env: ())
    let diffs = store.diffs(of: \.self)
    let one = store.begin(StateTransaction("one") { $0.count = 1 })
    store.receive(.set(\.count, to: 2))
    let two = store.begin(StateTransaction("two") { draft in try draft.change { $0.count = 3 } })
    _ = await two.outcome
    let three = store.child(\.nested).begin(StateTransaction("three") { $0.label = "New" })
    store.deactivate()
    var transactions: [String] = []
    for await diff in diffs { transactions.append(diff.transaction.map { "\($0.name) \($0.id)" } ?? "none") }
    #expect(transactions == ["one \(one.id)", "none", "two \(two.id)", "three \(three.id)"])
    #expect(Set([one.id, two.id, three.id]).count == 3)
  }

  @Test("A state diff names the transaction effect that made it, and knows its outcome", .timeLimit(.minutes(10)))
  func transactionsAsEffects() async throws {
    let store = AsyncStore(state: Sample(), env: ())
    var diffs = store.diffs(of: \.self).makeAsyncIterator()
    store.receive(.transaction(StateTransaction("one") { $0.count = 1 }))
    let one = try #require(await diffs.next()?.transaction)
    #expect("\(await one.outcome)" == "completed")
    await store.run(.transaction(StateTransaction("two") { draft in try draft.change { $0.count = 2 } }))
    let two = try #require(await diffs.next()?.transaction)
    #expect("\(await two.outcome)" == "completed")
    for await status in two.statuses { #expect("\(status)" == "completed") }
  }

  @Test("A child store publishes a state diff for each commit that changes its part")
  func childStores() async {
    let store = AsyncStore(state: Sample(), env: ())
    let item = store.child(\.array).child(Part(\.[0]))
    let nested = store.child(\.nested)
    let diffs = nested.diffs()
    let none = item.diffs()
    store.receive(.set(\.count, to: 1))
    nested.receive(.set(\.label, to: "a"))
    store.receive(.set { $0.nested.label = "b" })
    store.receive(.set { $0.array = [] })
    store.deactivate()
    var labels: [JSONChange?] = []
    for await diff in diffs { labels.append(diff.changes["label"]) }
    #expect(labels == [.changed(old: "Nested struct", new: "a"), .changed(old: "a", new: "b")])
    for await _ in none { Issue.record("a part that may trap has a diff") }
  }

  @Test("No state diff is published if a value that can't be encoded leads back to the one before it")
  func gapWithoutChange() async {
    let store = AsyncStore(state: 1.0, env: ())
    let diffs = store.diffs(of: \.self)
    for value in [.infinity, 1, 2] as [Double] { store.receive(.set { $0 = value }) }
    store.deactivate()
    var changes: [JSONChange?] = []
    for await diff in diffs { changes.append(diff.changes[""]) }
    #expect(changes == [.changed(old: 1, new: 2)])
  }

  @Test("State diffs do not refer to a value from before the part was missing")
  func gapOverMissingPart() async {
    struct Gauge: Sendable { var value: Double? = 1 }
    let store = AsyncStore(state: Gauge(), env: ())
    let diffs = store.child(Part(optional: \Gauge.value)).diffs()
    for value in [.infinity, nil, 5, 6] as [Double?] { store.receive(.set(\.value, to: value)) }
    store.deactivate()
    var changes: [JSONChange?] = []
    for await diff in diffs { changes.append(diff.changes[""]) }
    #expect(changes == [.changed(old: 5, new: 6)])
  }

  struct Counter: Model, Codable {
    typealias Action = Int
    var count = 0
    static func update(_ state: inout Counter, _ action: Int) -> Effect {
      state.count += action
      return .none
    }
  }

  @Test("`loggingDiffs` logs the state diff of each action")
  func logging() async {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let store = StoreOf<Counter>(state: Counter(), env: (), middleware: [.loggingDiffs { line.yield($0) }])
    store.send([2, 0])
    line.finish()
    var output: [String] = []
    for await line in lines { output.append(line) }
    #expect(output == ["2\n  count: changed 0 to 2", "0"])
  }
}
