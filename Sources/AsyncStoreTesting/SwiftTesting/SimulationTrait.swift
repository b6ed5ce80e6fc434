#if canImport(Testing)
  import Testing

  /// Runs a test, or each test of a suite, in a simulation.
  ///
  /// The test finds the simulation in ``Simulation/current``.
  public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
    enum Kind: Sendable {
      case once(seed: UInt64?, time: Simulation.Time, jitter: Duration, end: Simulation.End, limits: SimulationLimits)
      case explored(Explorer)
    }

    let kind: Kind

    /// Always true: the trait also applies to suites within a suite.
    public var isRecursive: Bool { true }

    /// Runs the test in its simulation, or in several simulations one after the other.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      switch kind {
      case .once(let seed, let time, let jitter, let end, let limits):
        let simulation = Simulation(
          seed: seed, options: Scheduler.Options(isAutomatic: time == .automatic, limits: limits, jitter: jitter))
        try BorrowedBody.lend(function) { body in simulation.run(atEnd: end, body) }.get()
      case .explored(let explorer):
        var explorer = explorer
        explorer.site = ExplorationSite(
          filePath: test.sourceLocation.filePath, line: test.sourceLocation.line, function: test.name)
        let report = try await explorer.explore { run in try BorrowedBody.lend(function) { body in run(body) } }
        if report.isExhaustive { print("\(test.name): \(report)") }
      }
    }
  }

  extension Trait where Self == SimulationTrait {
    /// Runs the test in a simulation; see ``simulate(seed:time:jitter:atEnd:limits:_:)``.
    public static func simulated(
      seed: UInt64? = nil, time: Simulation.Time = .automatic, jitter: Duration = .zero,
      atEnd end: Simulation.End = .nothingInFlight, limits: SimulationLimits = SimulationLimits()
    ) -> Self {
      SimulationTrait(kind: .once(seed: seed, time: time, jitter: jitter, end: end, limits: limits))
    }

    /// Runs the test under many schedules; see ``explore(_:time:jitter:atEnd:limits:filePath:line:function:_:)``.
    public static func explored(
      _ exploration: Exploration = .seeds(1_000), time: Simulation.Time = .automatic, jitter: Duration? = nil,
      atEnd end: Simulation.End = .nothingInFlight, limits: SimulationLimits = SimulationLimits()
    ) -> Self {
      SimulationTrait(
        kind: .explored(
          Explorer(exploration: exploration, time: time, jitter: jitter, end: end, limits: limits)))
    }
  }
#endif
