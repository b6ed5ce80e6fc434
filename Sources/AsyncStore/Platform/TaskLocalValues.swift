import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A check of whether the task that runs on this thread has task-local values.
///
/// Swift copies the values into each new task and has no API to ask for them. Creating a task takes about 4,000
/// instructions and a kilobyte; see ``ParkedTask``. Usually there are no values.
///
/// So this reads the head of the list from the task object. Its offset is determined once, by binding a known value in
/// a probe task. If the offset is not found, every task is assumed to have values.
enum TaskLocalValues {
  /// True if a task runs on this thread and has no task-local values; false also if that can't be determined.
  static var areNone: Bool {
    guard let place else { return false }
    return Thread.currentTaskWords.map { $0[place] == 0 } ?? false
  }

  /// The index of the list's first item among the words of each task, or `nil` if it isn't known.
  static let place: Int? = {
    // On Apple's platforms, a task inherits more from its creator than priority and values.
    #if canImport(Glibc) || canImport(Musl)
      let probe = Probe()
      ParkedTask(priority: .medium).run { probe.look() }
      return probe.place.withLock { $0 }
    #else
      return nil
    #endif
  }()
}

#if canImport(Glibc) || canImport(Musl)
  /// The search for the list of task-local values, in a task that has none.
  private final class Probe: Sendable {
    let place = Mutex<Int?>(nil)

    private static let local = TaskLocal(wrappedValue: 0)

    /// The number of words examined.
    ///
    /// A task has more words, with the memory that it allocates from.
    private static let wordCount = 32

    func look() {
      guard let task = Thread.currentTaskWords else { return }
      let none = words(of: task)
      let (one, items) = Self.local.withValue(1) { (words(of: task), itemPlaces(in: task)) }
      let two = Self.local.withValue(1) { Self.local.withValue(2) { words(of: task) } }
      let noneAgain = words(of: task)
      let found = items.filter { none[$0] == 0 && noneAgain[$0] == 0 && two[$0] != 0 && two[$0] != one[$0] }
      place.withLock { $0 = found.count == 1 ? found[0] : nil }
    }

    private func words(of task: UnsafePointer<UInt>) -> [UInt] { (0..<Self.wordCount).map { task[$0] } }

    /// The indices of words that are addresses of an item whose second word is the key of ``local``.
    private func itemPlaces(in task: UnsafePointer<UInt>) -> [Int] {
      let key = UInt(bitPattern: Unmanaged.passUnretained(Self.local).toOpaque())
      // Through /proc/self/mem, because most words are not pointers, and dereferencing one could crash.
      let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
      guard memory >= 0 else { return [] }
      defer { close(memory) }
      return words(of: task).enumerated().compactMap { place, address in
        guard address != 0, let offset = off_t(exactly: address) else { return nil }
        var item: (next: UInt, key: UInt) = (0, 0)
        let size = MemoryLayout.size(ofValue: item)
        return pread(memory, &item, size, offset) == size && item.key == key ? place : nil
      }
    }
  }
#endif
