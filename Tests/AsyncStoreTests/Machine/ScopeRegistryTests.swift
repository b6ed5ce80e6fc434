import Testing

@testable import AsyncStore

@Suite("The registry of scopes")
struct ScopeRegistryTests {
  @Test("An identifier has one registration, and leaves its place to the next one once it is out of use")
  func places() {
    var registry = ScopeRegistry<EffectID>()
    let first = registry.register("a")
    #expect(registry.register("a") == first && registry.register("b") != first)
    registry[first].cleaningUp = 1
    _ = registry.removeIfUnused(first)
    #expect(registry.register("a") == first, "a cleanup is a use")
    registry[first].cleaningUp = 0
    _ = registry.removeIfUnused(first)
    #expect(registry.register("c") == first && registry.count == 2)
    #expect(registry.register("a") != first)
  }

  @Test("The registry of scopes selects in the order in which identifiers came into use")
  func selections() {
    var registry = ScopeRegistry<EffectID>()
    let slots = ["b", "a", "c"].map { registry.register(EffectID("list").appending($0)) }
    let other = registry.register("other")
    #expect(registry.registrations(selectedBy: .all) == slots + [other])
    #expect(registry.registrations(selectedBy: .prefix("list")) == slots)
    #expect(registry.registrations(selectedBy: .identifiers(["other", "unknown"])) == [other])
    registry.renew(slots[0])
    #expect(registry.registrations(selectedBy: .prefix("list")) == [slots[1], slots[2], slots[0]])
  }
}
