import Foundation
import Synchronization
import Testing

@testable import AsyncStore

@Suite("A trace recorder")
struct TraceRecorderTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  private func store(_ recorder: TraceRecorder, _ name: String? = "orders") -> JournalStore {
    JournalStore(
      state: Journal(), env: (), name: name, clock: harness.clock, executor: harness.executor, seed: 0,
      instrument: recorder)
  }

  @Test("A trace recorder writes a trace for Perfetto")
  func golden() {
    let recorder = TraceRecorder()
    let store = store(recorder)
    let nap = Effect.sleep(.microseconds(1500), file: "F", line: 0)
    for name in ["a", "b"] {
      store.receive(
        .concatenate(nap, .set(\.count, to: 1, file: "F", line: 0)).label(name, file: "F", line: 0)
          .id("q", .queue(), file: "F", line: 0))
    }
    harness.advance(by: .milliseconds(2))
    store.receive(.cancel("q"))
    let lines = """
      {"displayTimeUnit":"ms","otherData":{"dropped":0},"traceEvents":[
      {"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"orders"}},
      {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"events"}},
      {"ph":"b","cat":"effect","name":"a","id":"1.2","pid":1,"tid":1,"ts":0,"args":{"effect":2,"tree":1,"kind":"sleep","identifier":"q","label":"a","detail":"0.0015 seconds"}},
      {"ph":"b","cat":"wait","name":"waits: q","id":"1.4","pid":1,"tid":1,"ts":0,"args":{"effect":4,"tree":3,"kind":"id","identifier":"q","detail":"q","note":"place"}},
      {"ph":"e","cat":"effect","name":"a","id":"1.2","pid":1,"tid":1,"ts":1500,"args":{"effect":2,"tree":1,"kind":"sleep","identifier":"q","label":"a","detail":"0.0015 seconds","note":"finished"}},
      {"ph":"i","s":"t","cat":"effect","name":"committed a","pid":1,"tid":1,"ts":1500,"args":{"effect":2,"tree":1,"kind":"set","identifier":"q","label":"a"}},
      {"ph":"e","cat":"wait","name":"waits: q","id":"1.4","pid":1,"tid":1,"ts":1500,"args":{"effect":4,"tree":3,"kind":"id","identifier":"q","detail":"q","note":"place, finished"}},
      {"ph":"b","cat":"effect","name":"b","id":"1.4","pid":1,"tid":1,"ts":1500,"args":{"effect":4,"tree":3,"kind":"sleep","identifier":"q","label":"b","detail":"0.0015 seconds"}},
      {"ph":"e","cat":"effect","name":"b","id":"1.4","pid":1,"tid":1,"ts":2000,"args":{"effect":4,"tree":3,"kind":"sleep","identifier":"q","label":"b","detail":"0.0015 seconds","note":"cancelled"}}
      ]}

      """
    #expect(recorder.chromeTrace == lines)
  }

  @Test("A trace recorder tells an error that a recover takes from a failure")
  func recoveries() {
    let recorder = TraceRecorder()
    let store = store(recorder)
    store.receive(.fail("x").recover { _ in .fail("y") })
    harness.settle()
    let lines = recorder.jsonLines.split(separator: "\n")
    #expect(lines.filter { $0.contains(#""event":"recovered""#) && $0.contains(#""note":"x""#) }.count == 1)
    #expect(lines.filter { $0.contains(#""event":"failed""#) && $0.contains(#""note":"y""#) }.count == 1)
    #expect(recorder.chromeTrace.contains("recovered task"))
  }

  @Test("A trace recorder writes a trace that a strict reader accepts, whatever happens and whatever the names")
  func valid() throws {
    let recorder = TraceRecorder()
    let (store, other) = (store(recorder), store(recorder, nil))
    let name = "\"quoted\" \\ \u{1}\n\t é 😀 </script>"
    let nap = Effect.sleep(.seconds(1))
    store.receive(nap.label(name).id(name))
    store.receive(.fail(name).retry(.constant(.seconds(1)).limitedTo(attempts: 3)))
    store.receive(.merge(nap, nap, .sleep(.seconds(4)).timeout(.seconds(2))))
    store.receive(.timer(.milliseconds(300), id: 7) { .set(\.count, to: $0.index) })
    for _ in 0..<4 { store.receive(.log("x").throttle(for: .seconds(1), id: "w")) }
    other.bind(id: "b", to: store, on: \.count) { .set(\.count, to: $0) }
    // The alarm is late: what the deadlines lead to happens before what has begun meanwhile.
    harness.jump(by: .milliseconds(2500))
    harness.advance(by: .seconds(3))
    for store in [store, other] { store.deactivate() }
    store.receive(.log("ignored"))
    let trace = try StrictTraceReader(recorder.chromeTrace)
    #expect(trace.openCount == 0 && trace.slices.count > 10 && trace.instants.count > 10)
    #expect(trace.processNames == [1: "orders", 2: other.identity.description])
    #expect(trace.slices.contains { $0.name == name })
    let lines = recorder.jsonLines.split(separator: "\n")
    #expect(lines.count == recorder.count)
    for line in lines {
      let fields = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(fields["ns"] is Int && fields["event"] is String && fields["store"] is String)
    }
    #expect(
      lines.contains { $0.contains(#""event":"timedOut""#) } && lines.contains { $0.contains(#""event":"ignored""#) })
  }

  @Test("A recorded trace leads from a timer, a stream or a binding to each effect that it begins")
  func flows() throws {
    let recorder = TraceRecorder()
    let (store, other) = (store(recorder), store(recorder, "board"))
    let nap = Effect.sleep(.seconds(1))
    store.receive(.timer(.seconds(2), id: "timer") { _ in nap.label("a") })
    let (elements, input) = AsyncStream.makeStream(of: Int.self)
    for element in 1...2 { input.yield(element) }
    store.receive(.stream(elements) { .sleep(.seconds($0)).label("\($0)") }.id("stream"))
    other.bind(id: "binding", to: store, on: \.count) { $0 == 0 ? .none : .sleep(.seconds(9)).label("bound") }
    store.receive(.set(\.count, to: 3))
    harness.advance(by: .seconds(5))
    let trace = try StrictTraceReader(recorder.chromeTrace)
    let arrows = trace.flows.map { "\($0.from.name) > \($0.to.name)" }
    #expect(arrows.sorted() == ["binding > bound", "stream > 1", "stream > 2", "timer > a", "timer > a"])
    #expect(trace.flows.allSatisfy { $0.from.process == $0.to.process && $0.from.start <= $0.to.start })
    #expect(trace.openCount > 0)
    for store in [store, other] { store.deactivate() }
    harness.settle()
  }

  @Test(
    "The strict reader refuses a trace with a fault",
    arguments: [
      (#""ph":"e""#, #""ph":"b""#), (#""ph":"e""#, #""ph":"E""#), (#""ts":0,"#, #""ts":"0","#), (#""ts":0,"#, ""),
      (#""name":"thread_name""#, #""name":"thread""#), (#""pid":1,"#, ""), (#""cat":"effect","#, ""),
      (#""name":"timer","id""#, #""name":"other","id""#), (#""flow_in":true"#, #""flow_in":false"#),
      (#""bind_id":"0x1","flow_out":true,"#, ""), (#""s":"t","#, #""s":"x","#), (#""displayTimeUnit":"ms""#, #""a":0"#),
    ])
  func faults(sound: String, faulty: String) throws {
    let recorder = TraceRecorder()
    let store = store(recorder)
    let nap = Effect.concatenate(.sleep(.seconds(1)), .set(\.count, to: 1)).label("nap")
    store.receive(.timer(.seconds(2), id: "timer") { _ in nap })
    harness.advance(by: .seconds(3))
    store.deactivate()
    let trace = recorder.chromeTrace
    #expect(try StrictTraceReader(trace).openCount == 0)
    let place = try #require(trace.range(of: sound))
    let last = sound.hasPrefix(#""ph":"e""#) ? trace.range(of: sound, options: .backwards) ?? place : place
    #expect(throws: StrictTraceReader.Fault.self) {
      let trace = try StrictTraceReader(trace.replacingCharacters(in: last, with: faulty))
      if trace.openCount > 0 { throw StrictTraceReader.Fault(description: "a slice has no end") }
    }
  }

  @Test("A trace recorder stays within its bounds, counts what it dropped, and leaves out ends without a beginning")
  func bounds() throws {
    let recorder = TraceRecorder(capacity: 10)
    let store = store(recorder)
    store.receive(.sleep(.seconds(1)).id(String(repeating: "x", count: 100_000)))
    for number in 0..<1_000 { store.receive(.set(\.count, to: number)) }
    harness.advance(by: .seconds(1))
    #expect(recorder.count == 10 && recorder.droppedCount == 992)
    #expect(recorder.jsonLines.hasPrefix("{\"dropped\":992}\n"))
    #expect(recorder.jsonLines.utf8.count < 10 * 1_000)
    #expect(try StrictTraceReader(recorder.chromeTrace).slices.isEmpty)
    recorder.clear()
    #expect(recorder.count == 0 && recorder.droppedCount == 0 && recorder.jsonLines.isEmpty)
    #expect(try StrictTraceReader(recorder.chromeTrace).instants.isEmpty)
  }

  final class Token: Sendable {}
  struct Name: Hashable, Sendable {
    let token: Token
    static func == (left: Name, right: Name) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }
  struct HeavyError: Error { let token: Token }

  @Test("A trace recorder keeps no identifier and no error alive")
  func released() {
    let recorder = TraceRecorder()
    weak var (name, error): (Token?, Token?)
    do {
      let (first, second) = (Token(), Token())
      (name, error) = (first, second)
      let store = store(recorder)
      store.receive(.task { throw HeavyError(token: second) }.id(Name(token: first)))
      harness.settle()
    }
    #expect(recorder.count > 2)
    #expect(name == nil && error == nil)
  }
}
