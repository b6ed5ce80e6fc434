import AsyncStoreTesting
import Testing

/// A simulation releases nothing of the user's under a lock of its own.
@Suite("The releases of a simulation")
struct SimulationReleaseTests {
  final class Caller: Sendable {
    private let whenReleased: @Sendable () -> Void
    init(_ whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }
    deinit { whenReleased() }
  }

  @Test("The result of a task may ask for the time when it is let go of")
  func resultOfATask() async {
    await #expect(processExitsWith: .success) {
      let moments = Note<[TestClock.Instant]>([])
      try await simulate { simulation in
        let clock = simulation.clock
        for _ in 0..<3 { _ = Task { Caller { moments.change { [now = clock.now] in $0.append(now) } } } }
        try await clock.sleep(for: .seconds(1))
        precondition(moments.value.count == 3, "\(moments.value.count) are released")
      }
    }
  }
}
