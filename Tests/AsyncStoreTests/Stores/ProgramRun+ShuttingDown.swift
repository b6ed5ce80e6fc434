import AsyncStore

/// A record of a shutdown.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class ShutdownRecord: @unchecked Sendable {
  let store: StoreName
  /// The parts that the shutdown may have ended.
  var doubted: [Lineage] = []

  init(_ store: StoreName) { self.store = store }
}

extension ProgramRun {
  func shutdown(_ name: StoreName, drain: Int, cleanup: Int) {
    let record = ShutdownRecord(name)
    shutdowns.append(record)
    Task(executorPreference: executor) { [self] in
      guard !stores.isEmpty else { return }
      let (epoch, wasActive) = (epochs[name.rawValue], isActive[name.rawValue])
      let activations = activations[name.rawValue]
      doubt(record)
      do {
        let cancelled = try await self[name].shutdown(drain: .seconds(drain), cleanup: .seconds(cleanup))
        doubt(record)
        if wasActive, epochs[name.rawValue] == epoch { checkLosses(record, cancelled) }
      } catch let error as AsyncStoreError where error.code == .reactivated {
        return doubt(record)
      } catch {
        doubt(record)
        if self[name].isActive { return }
      }
      noteDraining()
      // A callback of the shutdown's last step may have activated the store.
      if self.activations[name.rawValue] != activations { return }
      if self[name].isActive { witness.report("law 19: a store is active after its shutdown", in: name) }
      epochs[name.rawValue] += 1
      barrier(lineages(of: name), .deactivated) {}
    }
  }

  /// Notes that the shutdown may end everything that the store has in flight from now on.
  private func doubt(_ record: ShutdownRecord) {
    for lineage in lineages(of: record.store) where !record.doubted.contains(where: { $0 === lineage }) {
      lineage.doubts += 1
      record.doubted.append(lineage)
    }
  }

  /// Notes the stores that have begun to drain.
  ///
  /// A task decides on that moment, so this is called before each use of a store.
  func noteDraining() {
    for record in shutdowns where isActive[record.store.rawValue] && !stores.isEmpty && !self[record.store].isActive {
      isActive[record.store.rawValue] = false
      for scope in timers + bindings.map(\.lineage) where scope.store == record.store && scope.hasBegun {
        scope.isStopped = true
      }
    }
  }

  /// Law 19: a shutdown that has come to its end in time loses nothing.
  private func checkLosses(_ record: ShutdownRecord, _ cancelled: InFlight) {
    for root in roots where root.lineage.store == record.store {
      guard let node = root.node else { continue }
      if cancelled.isEmpty { checkCompleted(node, despite: 1) } else { checkCleanups(in: node) }
    }
  }

  /// Checks that each `finally` whose body has begun is followed by its cleanup.
  private func checkCleanups(in node: ProgramNode) {
    if case .finally = node.effect, node.children.count == 2, hasHappened(node.children[0]) {
      checkCompleted(node.children[1], despite: 1)
    }
    for child in node.children { checkCleanups(in: child) }
  }

  private func hasHappened(_ node: ProgramNode) -> Bool { node.count > 0 || node.children.contains(where: hasHappened) }
}
