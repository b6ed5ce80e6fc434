extension Fiber {
  /// The reason the fiber waits, in words.
  var status: String {
    if flags.contains(.settled) { return "stays for what it has started" }
    return switch activity {
    case .ready, .evaluating: "ready"
    case .operating, .folded: "running"
    case .handling: "handling an error"
    case .sleeping: "sleeping"
    case .waiting, .finalizing: "waiting for its children"
    case .sequencing: "in sequence"
    case .undoing: "undoing what had completed"
    case .compensating: "waiting for what can be undone"
    case .merging: "merging"
    case .racing: "racing"
    case .bounding: "bounded by a deadline"
    case .retrying: "attempting"
    case .deciding: "deciding whether to retry"
    case .backingOff: "backing off"
    case .queued: "queued"
    case .throttled: "throttled"
    case .joining: "joining"
    case .turn: "waiting for its actor"
    case .ticking: "ticking"
    case .emitting: "listening"
    case .window: "throttle window"
    }
  }
}
