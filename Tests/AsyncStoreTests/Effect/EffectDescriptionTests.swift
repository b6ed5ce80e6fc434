import Testing

@testable import AsyncStore

@Suite("The description of an effect")
struct EffectDescriptionTests {
  typealias Effect = JournalStore.Effect

  /// The tree without source locations.
  func tree(_ effect: Effect) -> [String] {
    effect.description.split(separator: "\n").map { line in
      String(line.replacing(#/ \(AsyncStoreTests/.*\)$/#, with: ""))
    }
  }

  @Test("A tree prints one effect a line, with labels and times, and nothing of it runs")
  func description() {
    let ran = Note(false)
    let effect = Effect.concatenate(
      .set(\.count, to: 1),
      .task(id: "load") {
        ran.value = true
        return .none
      },
      Effect.merge(effects: [.sleep(.seconds(1)), .cancel("x"), .join("y", 3)], limit: 2).label("work"),
      Effect.fail("x").retry(.constant(.seconds(1))).timeout(.seconds(5), else: .log("late")).recover { _ in .none },
      Effect.race(.sleep(.seconds(2)), .cancel("x"), goal: .firstToSucceed).finally(.cancelAll()),
      Effect.log("x").throttle(for: .seconds(1), id: "t"), .timer(.milliseconds(1_500), id: "t") { _ in .none },
      .cancel(prefix: EffectID("feed").appending(1)))
    #expect(
      tree(effect) == [
        "concatenate",
        "  set",
        "  id load",
        "    task",
        "  label \"work\"",
        "    merge at most 2",
        "      sleep 1.0 seconds",
        "      cancel x",
        "      join y, 3",
        "  recover",
        "    timeout 5.0 seconds",
        "      retry",
        "        task",
        "      set",
        "  finally",
        "    race to succeed",
        "      sleep 2.0 seconds",
        "      cancel x",
        "    cancel all",
        "  throttle t 1.0 seconds",
        "    set",
        "  id t",
        "    timer 1.5 seconds",
        "  cancel feed/1/…",
      ])
    #expect(!ran.value)
  }

  @Test("Each effect knows where it was written")
  func locations() {
    let effect = Effect.sleep(.seconds(1))
    #expect(effect.summary.location?.file == "AsyncStoreTests/EffectDescriptionTests.swift")
    #expect(effect.summary.location?.line == #line - 2)
    #expect(
      effect.summary.description == "sleep 1.0 seconds (AsyncStoreTests/EffectDescriptionTests.swift:\(#line - 3))")
    #expect(Effect.none.summary.location == nil)
    #expect(Effect.none.description == "none")
  }

  @Test("The children of an effect are those right inside, in order")
  func children() {
    let effect = Effect.merge(.sleep(.seconds(1)), .log("x"), .concatenate(.log("y"), .log("z")))
    #expect(effect.children.map(\.summary.kind) == [.sleep, .set, .concatenate])
    #expect(effect.children[2].children.count == 2)
    #expect(Effect.log("x").children.isEmpty)
    #expect(Effect.none.children.isEmpty)
    #expect(Effect.log("x").label("label").children.map(\.summary.kind) == [.set])
    #expect(
      Effect.log("x").timeout(.seconds(1), else: .sleep(.seconds(1))).children.map(\.summary.kind) == [.set, .sleep])
    #expect(Effect.task { .none }.children.isEmpty)
  }

  @Test("Each effect has its own kind")
  func kinds() {
    let (stream, _) = AsyncStream<Int>.makeStream()
    let sleep = Effect.sleep(.seconds(1))
    let store = JournalStore(state: Journal(), env: ())
    let effects: [Effect] = [
      .none, .set { _ in }, .read { _ in .none }, .update { _ in .none }, .task { .none },
      .lift(.cancelAll(), to: store),
      sleep,
      .timer(.seconds(1), id: "t") { _ in .none }.children[0], .stream(stream) { _ in .none }, .cancel("x"), .join("x"),
      .merge(sleep, sleep), .concatenate(sleep, sleep), .race(sleep), sleep.id("x"),
      sleep.throttle(for: .seconds(1), id: "x"), sleep.label("x"), sleep.timeout(.seconds(1)),
      sleep.retry(.constant(.zero)), sleep.recover { _ in .none }, sleep.finally(sleep),
      .sequence(sleep), sleep.compensate(with: sleep),
    ]
    #expect(effects.map(\.summary.kind) == EffectKind.allCases.filter { $0 != .binding })
  }

  @Test("A deep tree is cut off and overflows no stack")
  func deepTrees() {
    var effect = Effect.log("bottom")
    for _ in 0..<10_000 { effect = effect.label("x") }
    let lines = effect.description.split(separator: "\n")
    #expect(lines.count == 65)
    #expect(lines.last?.hasSuffix("…") == true)
  }

  @Test("Modifiers of none are none where there is nothing to modify")
  func modifiersOfNone() {
    #expect(Effect.none.retry(.constant(.zero)).isNone)
    #expect(Effect.none.recover { _ in .none }.isNone)
    #expect(Effect.none.finally(.none).isNone)
    #expect(Effect.sequence().isNone)
    #expect(Effect.sequence(.none, .none).isNone)
    #expect(Effect.sleep(.seconds(1)).compensate(with: .none).summary.kind == .sleep)
  }
}

@Suite("Identifiers")
struct EffectIDTests {
  enum Screen: Hashable, Sendable { case home, detail(Int) }

  @Test("Any hashable value is an identifier; equal values are equal identifiers")
  func equality() {
    #expect(EffectID("a") == "a")
    #expect(EffectID("a") != EffectID("b"))
    #expect(EffectID(1) == EffectID(1))
    #expect(EffectID(1) != EffectID("1"))
    #expect(EffectID(Screen.detail(1)) == EffectID(Screen.detail(1)))
    #expect(EffectID(Screen.detail(1)) != EffectID(Screen.home))
    #expect(EffectID(EffectID("a")) == "a", "an identifier stays what it is")
    #expect(Set([EffectID("a"), "a", EffectID(1), EffectID(UInt8(1))]).count == 3)
  }

  @Test("Identifiers form paths; a path lies under each of its prefixes and under itself")
  func paths() {
    let feed = EffectID("feed")
    let page = feed.appending("page").appending(3)
    #expect(page.isUnder(page))
    #expect(page.isUnder(feed))
    #expect(page.isUnder(feed.appending("page")))
    #expect(!feed.isUnder(page))
    #expect(!page.isUnder("page"))
    #expect(!EffectID("feeds").isUnder("feed"))
    #expect(!page.isUnder(feed.appending("page").appending(4)))
    #expect(feed.appending("a") == EffectID("feed").appending("a"))
    #expect(feed.appending("a") != feed.appending("b"))
  }

  @Test("A path prints its components")
  func description() {
    #expect(EffectID("feed").appending(3).appending(Screen.home).description == "feed/3/home")
  }

  @Test("Identifiers that are not equal are not under each other")
  func notEqualNotUnder() {
    let (a, b) = (EffectID(1), EffectID(UInt8(1)))
    #expect((a == b) == a.isUnder(b))
  }

  @Test("Components of a path are told apart by their types")
  func typesOfComponents() {
    #expect(!EffectID("feed").appending(1).isUnder(EffectID("feed").appending(UInt8(1))))
    #expect(EffectID("feed").appending(1) == EffectID("feed").appending(EffectID(1)))
  }
}
