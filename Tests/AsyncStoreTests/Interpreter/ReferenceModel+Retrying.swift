@testable import AsyncStore

extension ReferenceModel {
  func beginAttempt(of node: Node) {
    node.attempts += 1
    node.endsEarly = false
    node.previousFailure = node.failure
    node.failure = nil
    switch node.effect {
    case .attempts(_, _, let number):
      startAttempt(node, number)
    case .retry(_, _, let body):
      node.state = .retrying
      post(addHead(body, under: node, isBoundary: true))
    default:
      preconditionFailure("\(node.effect)")
    }
  }

  func endAttempt(of node: Node) {
    guard let failure = node.failure else {
      node.state = .wrapping
      return post(node)
    }
    if node.effect.plan.asks { askWhetherToRetry(node, failure) } else { backOff(node) }
  }

  func backOff(_ node: Node) {
    let elapsed = node.begun.distance(to: time)
    let schedule = node.effect.plan.schedule
    switch schedule.delay(afterAttempt: node.attempts, elapsed: elapsed, using: &node.generator) {
    case nil: giveUp(node)
    case .some(let delay) where delay > 0: node.state = .backingOff(alarm(after: delay))
    case .some: beginAttempt(of: node)
    }
  }

  func giveUp(_ node: Node) {
    node.state = .wrapping
    fail(node, node.failure!)
  }
}

extension Tree {
  fileprivate var plan: (schedule: RetrySchedule, asks: Bool) {
    switch self {
    case .retry(let schedule, let asks, _), .attempts(let schedule, let asks, _): (schedule, asks)
    default: preconditionFailure("\(self)")
    }
  }
}
