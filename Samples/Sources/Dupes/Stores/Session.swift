import AsyncStore
import SystemPackage

/// The stores of the program: one searches, and another one, bound to it, shows the progress.
struct Session: Sendable {
  let search: SearchStore
  let meter: MeterStore

  /// - Parameters:
  ///   - fileSystem: the file system to search.
  ///   - display: the display of the progress.
  ///   - clock: the time of the stores.
  ///   - executor: the executor for operations on files; by default Swift's own threads.
  init(
    fileSystem: FileSystem, display: MeterDisplay, clock: some Clock<Duration> = ContinuousClock(),
    executor: (any TaskExecutor)? = nil
  ) {
    search = SearchStore(state: Search(), env: fileSystem, clock: clock, executor: executor)
    meter = MeterStore(state: Meter(), env: display, clock: clock, executor: executor)
  }

  /// Searches until it is done or interrupted.
  ///
  /// - Parameter signals: a sequence of which each element interrupts the search.
  /// - Returns: the conclusion, when all operations have returned, or after 2 more seconds for each of the two stores.
  func run(
    _ paths: [FilePath], _ options: SearchOptions, interruptedBy signals: AsyncStream<Int32>
  ) async -> Conclusion {
    meter.follow(search)
    search.bind(id: "signals", stream: signals) { _ in .interrupt }
    search.receive(.search(paths, options))
    // This can only fail if somebody else deactivates the store, or cancels this task: the search is then over too.
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
