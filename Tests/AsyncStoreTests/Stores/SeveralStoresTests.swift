import AsyncStoreTesting
import Testing

/// Checks generated programs over three stores against the laws.
///
/// ``TestSize`` defines the number of programs, and can replay one.
@Suite("Programs over several stores")
struct SeveralStoresTests {
  private static let parts = 8

  @Test("Small programs over several stores keep the laws under every schedule")
  func everySchedule() async throws {
    var exhausted = 0
    for seed in 0..<UInt64(max(20, TestSize.cases / 1_000)) {
      var generator = StoreProgramGenerator(seed: seed, isSmall: true)
      let program = generator.program(steps: 3)
      do {
        try await explore(.exhaustive(limit: 100), atEnd: .cancels) { try await program.run(in: $0) }
        exhausted += 1
      } catch let failure as SimulationFailure where failure.code == .limitReached {
        // The program is not small.
      } catch {
        Issue.record("\(program)\nseed \(seed): \(error)")
      }
    }
    #expect(exhausted > 0)
  }

  @Test("Generated programs over several stores keep the laws")
  func generated() async {
    var findings = ProgramFindings()
    if let seed = TestSize.seed {
      findings.check(seed)
    } else {
      findings = await withTaskGroup { group in
        for part in 0..<Self.parts {
          group.addTask {
            var findings = ProgramFindings()
            for index in 0..<(TestSize.cases / Self.parts) {
              findings.check(UInt64(index * Self.parts + part))
              // Gives tests that run in parallel their turn.
              if index % 100 == 0 { await Task.yield() }
            }
            return findings
          }
        }
        return await group.reduce(into: findings) { $0.add($1) }
      }
    }
    for finding in findings.reports { Issue.record("\(finding)") }
  }
}

/// The violations that runs of many programs find.
///
/// Each has its first program and its count.
struct ProgramFindings: Sendable {
  private struct Finding: Sendable {
    let seed: UInt64
    let program: StoreProgram
    var count = 0
  }

  private var findings: [String: Finding] = [:]
  private var count = 0

  mutating func check(_ seed: UInt64) {
    TestSize.note(seed)
    var generator = StoreProgramGenerator(seed: seed)
    // Most programs are small, because most faults are.
    let program = generator.program(steps: seed % 10 == 0 ? 12 : 5)
    count += 1
    guard let violation = program.violation() else { return }
    findings[violation.law, default: Finding(seed: seed, program: program)].count += 1
  }

  mutating func add(_ other: ProgramFindings) {
    count += other.count
    for (law, finding) in other.findings {
      let known = findings[law]
      findings[law] = known.map { $0.seed < finding.seed ? $0 : finding } ?? finding
      findings[law]?.count = finding.count + (known?.count ?? 0)
    }
  }

  /// The reports, each with its program shrunk.
  var reports: [String] {
    findings.sorted { $0.key < $1.key }.map { law, finding in
      let shrunk = finding.program.shrunk { $0.violation()?.law == law }
      return "\(law)\n\(shrunk)\nASYNCSTORE_SEED=\(finding.seed); \(finding.count) of \(count) programs"
    }
  }
}
