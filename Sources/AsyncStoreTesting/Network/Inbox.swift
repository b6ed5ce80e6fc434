import Synchronization

/// A queue that only ``end()`` ends.
///
/// Unlike an `AsyncStream`, it continues after a reader was cancelled, and drops unread elements when it ends.
final class Inbox<Element: Sendable>: Sendable {
  private struct Reader {
    let id: Int
    let continuation: UnsafeContinuation<Element?, Never>
  }

  private struct State {
    var elements = GapQueue<Element>()
    var readers = GapQueue<Reader>()
    var lastID = 0
    var hasEnded = false
  }

  private let scheduler: Scheduler
  private let state = Mutex(State())

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  /// Passes an element to the first reader, or keeps it.
  func append(_ element: Element) {
    let reader = state.withLock { state -> Reader? in
      if state.hasEnded { return nil }
      if !state.readers.isEmpty { return state.readers.remove(at: 0) }
      state.elements.append(element)
      return nil
    }
    reader?.continuation.resume(returning: element)
  }

  /// Ends the queue, and drops its elements.
  func end() {
    let readers = state.withLock { state in
      defer {
        state.hasEnded = true
        state.elements = GapQueue()
        state.readers = GapQueue()
      }
      return Array(state.readers.all)
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
  }

  /// Waits for the next element.
  ///
  /// - Returns: `nil` if the queue has ended, or the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> Element? {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let element = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in read(Reader(id: id, continuation: continuation)) }
    } onCancel: {
      remove(id)?.continuation.resume(returning: nil)
    }
    if element == nil { try? await scheduler.endWait() }
    return element
  }

  private func read(_ reader: Reader) {
    let element = state.withLock { state -> Element?? in
      // A reader that is cancelled from here on is found among the readers.
      if Task.isCancelled || state.hasEnded { return .some(nil) }
      if !state.elements.isEmpty { return state.elements.remove(at: 0) }
      state.readers.append(reader)
      return nil
    }
    if let element { reader.continuation.resume(returning: element) }
  }

  private func remove(_ id: Int) -> Reader? {
    state.withLock { state in
      guard let index = state.readers.all.firstIndex(where: { $0.id == id }) else { return nil }
      return state.readers.remove(at: index - state.readers.all.startIndex)
    }
  }
}
