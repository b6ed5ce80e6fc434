#if Testing
  import AsyncStore

  /// A matching of patterns with effects in flight: each pattern has an effect of its own.
  ///
  /// A pattern whose effects are all taken moves other patterns to other effects that they match, so that the order of
  /// the patterns does not matter.
  struct PatternMatching {
    private let effects: [InFlight.Node]
    private var patterns: [EffectPattern] = []
    /// The pattern assigned to each effect, if any.
    private var owners: [Int?]

    init(_ effects: [InFlight.Node]) {
      self.effects = effects
      owners = Array(repeating: nil, count: effects.count)
    }

    /// The effects without a pattern.
    var unmatched: [InFlight.Node] { zip(effects, owners).filter { $0.1 == nil }.map(\.0) }

    /// Adds a pattern.
    ///
    /// - Returns: false if there is no effect for it.
    mutating func add(_ pattern: EffectPattern) -> Bool {
      patterns.append(pattern)
      let free = effects.indices.first { owners[$0] == nil && isMatch(patterns.count - 1, $0) }
      if let free {
        owners[free] = patterns.count - 1
        return true
      }
      var seen: Set<Int> = []
      return place(patterns.count - 1, &seen)
    }

    private func isMatch(_ pattern: Int, _ effect: Int) -> Bool {
      patterns[pattern].matches(effects[effect].effect, within: effects[effect].ancestors)
    }

    /// - Parameter seen: the effects that have been tried.
    private mutating func place(_ pattern: Int, _ seen: inout Set<Int>) -> Bool {
      for index in effects.indices where isMatch(pattern, index) {
        guard seen.insert(index).inserted else { continue }
        if let owner = owners[index], !place(owner, &seen) { continue }
        owners[index] = pattern
        return true
      }
      return false
    }
  }
#endif
