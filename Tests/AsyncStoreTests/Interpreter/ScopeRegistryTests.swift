import Testing

@testable import AsyncStore

@Suite("The registry of scopes")
struct ScopeRegistryTests {
  @Test("An identifier has one registration, and leaves its place to the next one once it is out of use")
  func places() {
    var registry = ScopeRegistry<EffectID>()
    let first = registry.register("a")
    #expect(registry.register("a") == first && registry.register("b") != first)
    registry[first].beginCleanup(freesPlace: false)
    _ = registry.removeIfUnused(first)
    #expect(registry.register("a") == first, "a cleanup is a use")
    registry[first].endCleanup()
    _ = registry.removeIfUnused(first)
    #expect(registry.register("c") == first && registry.count == 2)
    #expect(registry.register("a") != first)
  }

  @Test("A registration counts the places that are taken, and those in line that need different numbers of places")
  func counts() {
    var registration = Registration<EffectID>()
    for _ in 0..<2 { registration.takePlace() }
    registration.beginCleanup(freesPlace: true)
    #expect(registration.occupied == 2 && !registration.isIdle)
    registration.freePlace()
    registration.beginCleanup(freesPlace: false)
    #expect(registration.active == 0 && registration.cleaningUp == 2)
    for _ in 0..<2 { registration.endCleanup() }
    #expect(registration.isIdle && registration.isUnused)
    let mixed = [(2, nil), (2, 2), (3, 2), (2, 2), (1, nil)].map { (width: Int32, first: Int32?) in
      registration.noteWidth(width, behind: first)
      return registration.hasMixedWidths
    }
    #expect(mixed == [false, false, true, true, false])
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
