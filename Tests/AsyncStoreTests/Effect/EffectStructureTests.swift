import Testing

@testable import AsyncStore

@Suite("The structure of an effect")
struct EffectStructureTests {
  let harness = Harness()
  typealias Effect = JournalStore.Effect

  /// The structure as a line that contains all of it.
  func line(_ effect: Effect) -> String {
    func lines(_ effects: [Effect]) -> String { "[\(effects.map(line).joined(separator: ", "))]" }
    return switch effect.structure {
    case .none: "none"
    case .set: "set"
    case .read: "read"
    case .update: "update"
    case .task: "task"
    case .retryingTask(let schedule): "task retrying \(schedule == .constant(.seconds(1)))"
    case .lift(let store): "lift \(type(of: store) == JournalStore.self)"
    case .sleep(let duration): "sleep \(duration)"
    case .timer(let interval): "timer \(interval)"
    case .stream(let strategy): "stream \(strategy == .latest)"
    case .binding(let strategy): "binding \(strategy == .latest)"
    case .cancel(let target): "cancel \(target)"
    case .join(let target): "join \(target)"
    case .merge(let effects, let limit): "merge \(limit) \(lines(effects))"
    case .concatenate(let effects): "concatenate \(lines(effects))"
    case .sequence(let effects): "sequence \(lines(effects))"
    case .race(let effects, let goal): "race \(goal == .firstToSucceed) \(lines(effects))"
    case .id(let effect, let id, let policy): "id \(id) \(policy == .queue(capacity: 3)) (\(line(effect)))"
    case .debounce(let effect, let duration, let id): "debounce \(id) \(duration) (\(line(effect)))"
    case .throttle(let effect, let duration, let id, let edges):
      "throttle \(id) \(duration) \(edges.rawValue) (\(line(effect)))"
    case .label(let effect, let label): "name \(label) (\(line(effect)))"
    case .timeout(let effect, let duration, let other): "timeout \(duration) (\(line(effect))) else (\(line(other)))"
    case .retry(let effect, let schedule): "retry \(schedule == .constant(.zero)) (\(line(effect)))"
    case .recover(let effect): "recover (\(line(effect)))"
    case .finally(let effect, cleanup: let cleanup): "(\(line(effect))) finally (\(line(cleanup)))"
    case .compensate(let effect, let undo): "(\(line(effect))) undone by (\(line(undo)))"
    }
  }

  @Test("Each kind of effect has its durations, identifiers and labels, and the effects inside it")
  func kinds() {
    let (stream, _) = AsyncStream<Int>.makeStream()
    let store = JournalStore(state: Journal(), env: ())
    let (set, sleep) = (Effect.log("x"), Effect.sleep(.seconds(1)))
    let expected: [(Effect, String)] = [
      (.none, "none"), (set, "set"), (.read { _ in .none }, "read"), (.update { _ in .none }, "update"),
      (.task { .none }, "task"), (.perform { _ in .none }, "task"),
      (.task(retrying: .constant(.seconds(1))) { _ in .none }, "task retrying true"),
      (.lift(.cancelAll(), to: store), "lift true"), (sleep, "sleep 1.0 seconds"),
      (.stream(stream, strategy: .latest) { _ in .none }, "stream true"),
      (.cancel("x"), "cancel ids([x])"), (.cancel(prefix: "x"), "cancel prefix(x)"), (.cancelAll(), "cancel all"),
      (.join("x", 1), "join ids([x, 1])"), (.join(prefix: "x"), "join prefix(x)"),
      (.merge(effects: [set, sleep], limit: 2), "merge 2 [set, sleep 1.0 seconds]"),
      (.merge(set, sleep), "merge \(Int.max) [set, sleep 1.0 seconds]"),
      (.concatenate(set, .concatenate(sleep)), "concatenate [set, sleep 1.0 seconds]"),
      (.sequence(set, set), "sequence [set, set]"), (.race(set, set), "race false [set, set]"),
      (.race(set, set, goal: .firstToSucceed), "race true [set, set]"),
      (set.id("x"), "id x false (set)"), (set.id("x", .queue(capacity: 3)), "id x true (set)"),
      (.timer(.seconds(2), id: "t") { _ in .none }, "id t false (timer 2.0 seconds)"),
      (set.throttle(for: .seconds(1), id: "t"), "throttle t 1.0 seconds 3 (set)"),
      (set.throttle(for: .seconds(1), id: "t", edges: .leading), "throttle t 1.0 seconds 1 (set)"),
      (set.throttle(for: .seconds(1), id: "t", edges: .trailing), "throttle t 1.0 seconds 2 (set)"),
      (set.label("n"), "name n (set)"),
      (set.timeout(.seconds(1)), "timeout 1.0 seconds (set) else (none)"),
      (set.timeout(.seconds(1), else: sleep), "timeout 1.0 seconds (set) else (sleep 1.0 seconds)"),
      (set.retry(.constant(.zero)), "retry true (set)"),
      (set.retry(.constant(.zero), while: { _ in true }), "retry true (set)"),
      (set.recover { _ in .none }, "recover (set)"), (set.finally(sleep), "(set) finally (sleep 1.0 seconds)"),
      (set.compensate(with: sleep), "(set) undone by (sleep 1.0 seconds)"),
    ]
    for (effect, text) in expected { #expect(line(effect) == text) }
  }

  @Test("A debounce is recognized however it is written, and nothing else is taken for one")
  func debounces() {
    let (set, sleep) = (Effect.log("x"), Effect.sleep(.seconds(1)))
    #expect(line(set.debounce(for: .seconds(1), id: "d")) == "debounce d 1.0 seconds (set)")
    #expect(line(.debounce({ .none }, for: .seconds(1), id: "d")) == "debounce d 1.0 seconds (task)")
    #expect(line(Effect.concatenate(sleep, set).id("d")) == "debounce d 1.0 seconds (set)")
    for effect: Effect in [
      .concatenate(set, sleep).id("d"), .concatenate(sleep, set, set).id("d"), .merge(sleep, set).id("d"),
      sleep.id("d"), .concatenate(sleep, set).id("d", .keepFirst), .sequence(sleep, set).id("d"),
    ] {
      #expect(line(effect).hasPrefix("id d"))
    }
  }

  @Test("A debounced effect has the members and the events of the sleep and the effect that it stands for")
  func debounceWrittenOut() {
    let effects: [Effect] = [
      .task { .log("task") }, .log("set"), .sleep(.seconds(2)), .concatenate(.log("a"), .sleep(.zero), .log("b")),
      .merge(.log("c"), .task { .none }), .none, Effect.log("d").id("inner"),
      .timer(.seconds(1), id: "t") { _ in .none },
    ]
    for effect in effects {
      for duration in [Duration.seconds(1), .zero, .seconds(-1)] {
        let texts = [
          effect.debounce(for: duration, id: "d"), Effect.concatenate(.sleep(duration), effect).id("d"),
        ].map { effect in
          let recorder = Recorder()
          let store = harness.store(instrument: recorder)
          store.receive(effect)
          harness.advance(by: .seconds(1))
          store.receive(effect)
          harness.advance(by: .milliseconds(2_500))
          store.deactivate()
          return ["\(effect)", "\(store.log)"] + recorder.lines
        }
        #expect(texts[0] == texts[1])
      }
    }
  }

  @Test("A tree is the same when it is put together again")
  func rebuilding() {
    let effect = Effect.concatenate(.log("a"), .merge(.log("b"), .sleep(.zero)).id("c"))
    guard case .concatenate(let members) = effect.structure,
      case .id(let body, "c", policy: .replace) = members[1].structure,
      case .merge(let parts, limit: .max) = body.structure
    else {
      Issue.record("\(effect) has another structure")
      return
    }
    let rebuilt = Effect.concatenate(members[0], Effect.merge(effects: parts).id("c"))
    #expect(line(rebuilt) == line(effect))
  }
}
