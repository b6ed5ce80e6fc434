import AsyncStore
import AsyncStoreTesting
import SystemPackage
import Testing

@testable import Dupes

/// Properties that hold in whatever order things happen, tried in many orders; a failure prints its order for a replay.
@Suite("A search under any schedule")
struct SchedulesTests {
  /// Files of few different lengths and texts, by their paths.
  private static func texts(_ random: SeededRandom) -> [String: String] {
    var texts: [String: String] = [:]
    for number in 0..<random.next(in: 2...8) {
      let folder = ["/", "/a/", "/a/b/", "/c/"][random.next(in: 0...3)]
      texts["\(folder)\(number)"] = (0..<random.next(in: 1...6))
        .map { _ in random.happens(withProbability: 0.8) ? "x" : "y" }.joined()
    }
    return texts
  }

  /// The result of a look at everything.
  private static func duplicates(_ texts: [String: String]) -> Set<[String]> {
    Set(Dictionary(grouping: texts.keys, by: { texts[$0] }).values.filter { $0.count > 1 }.map { $0.sorted() })
  }

  private func simulation() throws -> Simulation { try #require(Simulation.current) }

  @Test("A search finds all duplicates, however long each read takes", .explored(.seeds(100)))
  func result() async throws {
    let simulation = try simulation()
    let texts = Self.texts(simulation.random)
    let files = FakeFileSystem(texts, faults: simulation.faults(latency: .zero ... .milliseconds(20)))
    let search = await simulation.search(files, ["/"], .small.with(jobs: 3))
    #expect(Set(search.duplicates) == Self.duplicates(texts))
    #expect(search.groups == search.groups.sorted(by: DuplicateGroup.precedes))
    #expect(search.problems == [])
  }

  @Test(
    "A search reports each file that can't be read, and finds all duplicates among the others", .explored(.seeds(100)))
  func failures() async throws {
    let simulation = try simulation()
    var texts = Self.texts(simulation.random)
    let files = FakeFileSystem(
      texts, faults: simulation.faults(latency: .zero ... .milliseconds(20), failures: 0.5))
    // Files only: a folder that can't be listed would hide what is in it.
    let search = await simulation.search(files, texts.keys.sorted().map { FilePath($0) }, .small.with(jobs: 3))
    #expect(Set(search.errors.map(\.path)).count == search.errors.count)
    for error in search.errors {
      #expect(texts.removeValue(forKey: error.path.string) != nil)
    }
    #expect(Set(search.duplicates) == Self.duplicates(texts))
    #expect(search.progress.done == search.progress.total)
  }

  @Test("A search never has more files open than it may", .explored(.seeds(50)), arguments: [1, 2, 3])
  func openFiles(jobs: Int) async throws {
    let simulation = try simulation()
    let faults = simulation.faults(latency: .zero ... .milliseconds(20), failures: 0.2)
    let files = FakeFileSystem(Self.texts(simulation.random), faults: faults)
    let store = simulation.testStore(Search(), env: files.fileSystem, exhaustivity: .off)
    await store.store.run(.search(["/"], .small.with(jobs: jobs)))
    #expect(files.mostOpenCount <= jobs)
    store.expectAtMost(jobs, inFlight: "search")
  }

  @Test(
    "A cancelled search leaves nothing in flight, closes its files and commits nothing more", .explored(.seeds(200)))
  func cancelled() async throws {
    let simulation = try simulation()
    let faults = simulation.faults(latency: .zero ... .milliseconds(20), failures: 0.2, hangs: 0.05)
    let files = FakeFileSystem(Self.texts(simulation.random), faults: faults)
    let store = simulation.store(Search(), env: files.fileSystem)
    let search = store.receive(.search(["/"], .small.with(jobs: 3)))
    await simulation.clock.advance(by: simulation.random.next(in: .zero ... .milliseconds(150)))

    store.receive(.interrupt)
    let state = store.state
    #expect(state.progress.isOver)
    _ = await search.outcome
    #expect(files.openCount == 0)
    #expect(store.inFlight.isEmpty)
    await simulation.clock.advance(by: .seconds(60))
    #expect(store.state == state)
  }

  @Test("A search is either finished or interrupted if a signal comes with the last read", .explored(.exhaustive()))
  func signalAtTheEnd() async throws {
    let simulation = try simulation()
    let files = FakeFileSystem(["/a": "1", "/b": "1"])
    let store = simulation.store(Search(), env: files.fileSystem)
    let search = store.receive(.search(["/a", "/b"], .small))
    let signal = Task { store.receive(.interrupt) }
    _ = await (search.outcome, signal.value)
    let progress = store.progress
    #expect(progress.isInterrupted != (progress.phase == .finished))
    if !progress.isInterrupted { #expect(store.state.duplicates == [["/a", "/b"]]) }
  }
}
