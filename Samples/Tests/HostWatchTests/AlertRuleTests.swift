import Testing

@testable import HostWatch

@Suite("An alert rule")
struct AlertRuleTests {
  let rule = AlertRule("busy", .processorUse, raiseAt: 0.9, clearAt: 0.7)

  @Test("An alert rule raises at its upper threshold, clears at its lower one, and changes nothing between them")
  func hysteresis() {
    var active: [AlertRule] = []
    let history = [0.5, 0.89, 0.9, 0.8, 0.95, 0.71, 0.7, 0.8, 0.89, 0.91].map { value in
      active = [rule].active(before: active, given: [.processorUse: value])
      return active == [rule]
    }
    #expect(history == [false, false, true, true, true, true, false, false, false, true])
  }

  @Test("An alert rule with equal thresholds is a plain comparison")
  func equalThresholds() {
    let rule = AlertRule("half", .swapUse, raiseAt: 0.5, clearAt: 0.5)
    #expect([rule].active(before: [], given: [.swapUse: 0.5]) == [rule])
    #expect([rule].active(before: [rule], given: [.swapUse: 0.5]) == [rule])
    #expect([rule].active(before: [rule], given: [.swapUse: 0.49]).isEmpty)
  }

  @Test("An alert stays as it was while its metric is unknown")
  func unknown() {
    #expect([rule].active(before: [rule], given: [.memoryUse: 0]) == [rule])
    #expect([rule].active(before: [], given: [:]).isEmpty)
  }

  @Test("An alert rule affects no other rule, and the rules keep their order")
  func several() {
    let memory = AlertRule("short", .memoryUse, raiseAt: 0.9, clearAt: 0.8)
    let metrics: [Metric: Double] = [.processorUse: 0.95, .memoryUse: 0.85]
    #expect([rule, memory].active(before: [memory], given: metrics) == [rule, memory])
    #expect([rule, memory].active(before: [], given: metrics) == [rule])
  }

  @Test("An alert is dropped when its rule is removed")
  func removed() {
    #expect([AlertRule]().active(before: [rule], given: [.processorUse: 1]).isEmpty)
  }
}
