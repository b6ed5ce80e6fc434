import AsyncStore
import AsyncStoreTesting
import Synchronization
import Testing

@testable import Dupes

@Suite("A session")
struct SessionTests {
  /// Collects the text that a display writes.
  private final class Output: Sendable {
    private let pieces = Mutex<[String]>([])
    var text: String { pieces.withLock { $0.joined() } }

    func display(_ style: MeterDisplay.Style) -> MeterDisplay {
      MeterDisplay(style: style, columns: { 80 }, write: { piece in self.pieces.withLock { $0.append(piece) } })
    }
  }

  private static func session(
    _ simulation: Simulation, _ files: FakeFileSystem, _ display: MeterDisplay
  ) -> Session {
    let session = Session(
      fileSystem: files.fileSystem, display: display, clock: simulation.clock, executor: simulation.executor)
    simulation.watch(session.search)
    simulation.watch(session.meter)
    return session
  }

  private static func slow(_ simulation: Simulation, _ seconds: Double) -> Faults {
    simulation.faults(latency: .seconds(seconds) ... .seconds(seconds))
  }

  @Test("A session without a terminal writes a line every 5 seconds")
  func lines() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "12345678", "/b": "12345678"], faults: Self.slow(simulation, 1.9))
      let output = Output()
      let session = Self.session(simulation, files, output.display(.lines))
      let conclusion = await session.run(["/a", "/b"], .small, interruptedBy: AsyncStream { _ in })
      #expect(conclusion.exitCode == 0)
      #expect(
        output.text == """
          Comparing beginnings  0%  0 of 2 files  0 files/s
          Comparing contents  13%  0 of 2 files, 2 B of 16 B  0 B/s  0:35 left
          Comparing contents  38%  0 of 2 files, 6 B of 16 B  1 B/s  0:17 left
          Comparing contents  75%  1 of 2 files, 12 B of 16 B  1 B/s  0:05 left

          """)
    }
  }

  @Test("A session on a terminal draws a bar in place and removes it at the end")
  func bar() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "12345678", "/b": "12345678"], faults: Self.slow(simulation, 0.1))
      let output = Output()
      let session = Self.session(simulation, files, output.display(.bar))
      _ = await session.run(["/a", "/b"], .small, interruptedBy: AsyncStream { _ in })
      #expect(output.text.contains("Comparing contents  ████"))
      #expect(output.text.hasPrefix("\u{1B}[?25l\r"))
      #expect(output.text.hasSuffix("\u{1B}[1A\r\u{1B}[J\u{1B}[?25h"))
    }
  }

  @Test("A session ends at a signal in the middle of a read and reports its progress")
  func interrupted() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "1234", "/b": "1234"], faults: Self.slow(simulation, 1))
      let (signals, source) = AsyncStream.makeStream(of: Int32.self)
      let session = Self.session(simulation, files, Output().display(.bar))
      async let running = session.run(["/a", "/b"], .small, interruptedBy: signals)
      await simulation.clock.advance(by: .milliseconds(5_500))
      source.yield(2)
      let conclusion = await running
      #expect(simulation.clock.now.offset == .milliseconds(5_500))
      #expect(conclusion.exitCode == 130)
      let output = try conclusion.output(json: true)
      #expect(output == "")
      #expect(
        conclusion.messages(json: true)
          == "Interrupted. Comparing contents: 0 of 2 files, 2 B of 8 B. Nothing was changed.\n")
      #expect(files.openCount == 0)
    }
  }

  @Test("A session waits 2 seconds for a read that can't be cancelled, and then reports it as unfinished")
  func stubborn() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      var fileSystem = FakeFileSystem(["/a": "1234"]).fileSystem
      fileSystem.entry = { path in
        // A task of its own, to which the cancel does not get through.
        await Task { try? await simulation.clock.sleep(for: .seconds(60)) }.value
        throw FileError(path, .other("too late"))
      }
      let (signals, source) = AsyncStream.makeStream(of: Int32.self)
      let session = Session(
        fileSystem: fileSystem, display: Output().display(.bar), clock: simulation.clock,
        executor: simulation.executor)
      async let running = session.run(["/a"], .small, interruptedBy: signals)
      await simulation.clock.advance(by: .seconds(1))
      source.yield(2)
      let conclusion = await running
      #expect(simulation.clock.now.offset == .seconds(3))
      #expect(conclusion.exitCode == 130)
      #expect(conclusion.messages(json: false).contains("visit"))
    }
  }

  @Test("A single signal ends a session at any moment", .explored(.seeds(100)))
  func signals() async throws {
    let simulation = try #require(Simulation.current)
    let faults = simulation.faults(latency: .zero ... .milliseconds(50), hangs: 0.1)
    let files = FakeFileSystem(["/a": "1234", "/b": "1234", "/c/d": "1234"], faults: faults)
    let (signals, source) = AsyncStream.makeStream(of: Int32.self)
    let session = Self.session(simulation, files, Output().display(.bar))
    let run = Task { await session.run(["/"], .small.with(jobs: 2), interruptedBy: signals) }
    await simulation.clock.advance(by: simulation.random.next(in: .zero ... .milliseconds(500)))
    source.yield(2)
    let conclusion = await run.value
    #expect([0, 130].contains(conclusion.exitCode))
    #expect(conclusion.search.progress.isOver)
    #expect(conclusion.failures.isEmpty)
    #expect(files.openCount == 0)
  }
}
