extension Runtime {
  var inFlight: InFlight {
    let now = time.now()
    return lock { inFlight(&$0, at: now) }
  }

  func inFlight(_ core: inout Core, at now: Moment, sparingCleanup: Bool = false) -> InFlight {
    core.unfold()
    return InFlight(core.machine.effectsInFlight(at: now, sparingCleanup: sparingCleanup), of: identity)
  }

  /// Lists the effects in flight, with the trees that lead into other stores and those that lifts from other stores
  /// have begun.
  ///
  /// - Parameter trees: keeps the listed trees alive, so that the address of each identifies it.
  func waitListing(keeping trees: inout [TreeContext]) -> WaitListing {
    let now = time.now()
    return lock { core in
      var listing = WaitListing(store: identity, effects: inFlight(&core, at: now))
      var outermost: [UInt64: [UInt64]] = [:]
      for effect in listing.effects where effect.parent == nil { outermost[effect.tree, default: []].append(effect.id) }
      for root in core.machine.fibers.roots {
        guard let tree = core.machine.context(of: root),
          let effects = outermost[core.machine.fibers[root.slot].number]
        else { continue }
        // A cleanup that a cancelled tree has left behind is a root of its own.
        listing.trees[ObjectIdentifier(tree), default: []] += effects
        trees.append(tree)
      }
      for index in 0..<core.runs.count {
        guard let run = core.runs[index], core.machine.isAlive(run.id), let tree = run.liftedTree else { continue }
        listing.lifted[core.machine.fibers[run.id.slot].number] = ObjectIdentifier(tree)
        trees.append(tree)
      }
      return listing
    }
  }
}
