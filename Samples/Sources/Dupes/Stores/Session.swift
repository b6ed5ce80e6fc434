import AsyncStore
import SystemPackage

/// The stores of the program: one searches, and one that is bound to it shows how far it is.
struct Session: Sendable {
  let search: SearchStore
  let meter: MeterStore

  /// - Parameters:
  ///   - fileSystem: what to search.
  ///   - display: where the progress is shown.
  ///   - clock: the time of the stores.
  ///   - executor: where the operations on files run; by default on Swift's own threads.
  init(
    fileSystem: FileSystem, display: MeterDisplay, clock: some Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    search = SearchStore(state: Search(), env: fileSystem, clock: clock, executor: executor)
    meter = MeterStore(state: Meter(), env: display, clock: clock, executor: executor)
  }

  /// Searches until it is done or interrupted.
  ///
  /// - Parameter signals: each element interrupts the search.
  /// - Returns: how it ended, when all operations have returned, or after 2 more seconds for each of the two stores.
  func run(
    _ paths: [FilePath], _ options: SearchOptions, interruptedBy signals: AsyncStream<Int32>
  ) async -> Conclusion {
    meter.follow(search)
    search.bind(id: "signals", stream: signals) { _ in .interrupt }
    search.receive(.search(paths, options))
    // It can only fail if somebody else deactivates the store, or cancels this task: then too the search is over.
    _ = try? await search.wait(for: \.progress.isOver, toEqual: true)
    search.receive(.interrupt)

    var failures: [any Error] = []
    for store in [search, meter] as [AnyAsyncStore] {
      do {
        // A read that hangs, for example on a network's disk, can't be cancelled.
        try await store.shutdown(drain: .zero, cleanup: .seconds(2))
      } catch {
        failures.append(error)
      }
    }
    await meter.env.close()
    return Conclusion(search: search.state, failures: failures)
  }
}
