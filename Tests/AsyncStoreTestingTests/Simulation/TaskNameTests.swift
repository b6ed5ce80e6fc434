#if os(Linux)
  import AsyncStore
  import Testing

  @testable import AsyncStoreTesting

  @Suite("The names of tasks")
  struct TaskNameTests {
    @Test("A report names the tasks of a cycle that one function has made")
    func cycle() async throws {
      let lines = try await reportLines(of: .deadlock) { _ in
        let tasks = Note<[Task<Void, Never>]>([])
        let wait = { @Sendable (index: Int) in await tasks.value[index].value }
        tasks.value = [
          Task(name: "reader") { await wait(1) }, Task.detached(name: "writer") { await wait(2) },
          Task(name: "cache") { await wait(0) },
        ]
        await tasks.value[0].value
      }
      let place = "(made in AsyncStoreTestingTests.TaskNameTests.cycle() async throws -> ())"
      let (reader, writer, cache) = (
        "task 1 \"reader\" \(place)", "task 2 \"writer\" \(place)", "task 3 \"cache\" \(place)"
      )
      #expect(lines[1] == "In a cycle: \(reader) waits for \(writer) waits for \(cache) waits for \(reader).")
      #expect(lines[2] == "the body waits for \(reader).")
      #expect(lines.contains { $0.contains(", named \"reader\", \"writer\", \"cache\": what they wait for") })
    }

    @Test("A report names the tasks of a group, and those with an executor")
    func group() async throws {
      let lines = try await reportLines(of: .deadlock) { simulation in
        let server = Task(name: "server") { await never() }
        await withTaskGroup { group in
          group.addTask(name: "reader") { await server.value }
          group.addTask(name: "writer", executorPreference: simulation.executor) { await server.value }
          group.addTask { await server.value }
          Task(name: "clerk", executorPreference: simulation.executor) { await server.value }
        }
      }
      let waits = lines.filter { $0.contains(" waits for task 1 \"server\" (made in ") }.map { $0.prefix(14) }
      #expect(waits.sorted() == ["a child task w", "task \"clerk\" w", "task \"reader\" ", "task \"writer\" "])
    }

    @Test("A report has a task's name on one line, whatever is in it")
    func newline() async throws {
      let lines = try await reportLines(of: .leak) { _ in
        Task(name: "two\nlines, \"quoted\"") { await never() }
      }
      #expect(lines.contains { $0.contains(", named \"two\\nlines, \\\"quoted\\\"\": what they wait for") })
    }

    @Test("A report names a task that begins at once")
    func immediate() async throws {
      let lines = try await reportLines(of: .leak) { _ in
        Task.immediate(name: "at once") {
          await switchPoint()
          await never()
        }
      }
      #expect(lines.contains { $0.contains(", named \"at once\": what they wait for") })
    }

    @Test("A report gives no name to a task that has none")
    func noName() async throws {
      let lines = try await reportLines(of: .deadlock) { _ in
        let task = Task { await never() }
        await withTaskGroup { group in
          group.addTask { await task.value }
        }
      }
      #expect(lines[1].hasPrefix("a child task waits for task 1 (made in AsyncStoreTestingTests."))
      #expect(!lines.contains { $0.contains("named") || $0.contains("\"") })
    }

    @Test("The lanes of a trace have the names of tasks")
    func lanes() async throws {
      let runner = TrialRunner(
        body: { _ in
          await Task(name: "reader") { await switchPoint() }.value
          await Task { await switchPoint() }.value
        }, options: Scheduler.Options(), end: .nothingInFlight, issues: IssueCollector())
      let trace = try #require(runner.run(Schedule(seed: 0, choices: []), isNarrated: true).trace)
      #expect(trace.json.contains(#""args":{"name":"task 1 \"reader\""}"#))
      #expect(trace.json.contains(#""args":{"name":"task 2"}"#))
    }

    @Test("A task gets its own name as ever, in a simulation and outside of one")
    func ownName() async throws {
      let body = { @Sendable in await Task(name: "reader") { Task.name }.value }
      #expect(await body() == "reader")
      #expect(try await simulate { _ in await body() } == "reader")
      #expect(await Task { Task.name }.value == nil)
    }

    private func reportLines(
      of code: SimulationFailure.Code, _ body: @escaping @Sendable (Simulation) async throws -> Void
    ) async throws -> [Substring] {
      let failure = try await #require(throws: SimulationFailure.self) { try await simulate(body) }
      #expect(failure.code == code)
      return failure.description.split(separator: "\n")
    }
  }

  /// Is never resumed, except by a cancel.
  private func never() async {
    let stream = AsyncStream<Never> { _ in }
    for await _ in stream {}
  }
#endif
