import Dispatch

/// The queue of the main actor, whose jobs are not on the main thread on Linux.
enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// A Boolean value that is true in code that runs on the queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }
}
