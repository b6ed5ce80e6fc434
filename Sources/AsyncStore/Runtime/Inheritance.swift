/// The task-local values and the priority that a tree's operations inherit if they start when none of their receiver's
/// code is running.
///
/// The first to be kept stay. Generic over the values, so that tests need no task.
struct Inheritance<Locals> {
  /// A way to start an operation.
  enum Start {
    /// On this thread as it is.
    case here
    /// In a task without values that has this priority.
    case inTask(priority: UInt8)
    case with(Locals)
  }

  /// The receiver's task-local values and, with them, its priority.
  private var values: Locals?
  /// The receiver's priority, if the receiver had no task-local values.
  ///
  /// Stored as a number, because the size of a `TaskPriority` is looked up at run time.
  private var priority: UInt8?
  /// True if an operation of the tree may have to start when none of its receiver's code is running any more.
  private let mayOperate: Bool

  init(mayOperate: Bool) { self.mayOperate = mayOperate }

  init(_ values: Locals) {
    self.values = values
    mayOperate = true
  }

  init(priority: UInt8) {
    self.priority = priority
    mayOperate = true
  }

  private var isKept: Bool { values != nil || priority != nil }

  /// Keeps the receiver's priority.
  ///
  /// - Parameters:
  ///   - priority: the priority, or `nil` if the receiver has task-local values.
  ///   - isAlive: false if nothing of the tree will start any more.
  /// - Returns: true if the receiver's values have to be kept instead.
  mutating func keep(priority: UInt8?, isAlive: Bool) -> Bool {
    guard mayOperate, !isKept else { return false }
    if isAlive { self.priority = priority }
    return priority == nil
  }

  /// Takes over what another tree or the receiver has kept, unless something has been kept already.
  mutating func adopt(_ other: Inheritance) {
    if !isKept { (values, priority) = (other.values, other.priority) }
  }

  mutating func takeValues() -> Locals? { values.take() }

  /// Returns how to start an operation on a thread with this priority.
  ///
  /// - Parameter hasNoValues: true if no task-local values are bound on the thread.
  func start(hasNoValues: @autoclosure () -> Bool, priority current: @autoclosure () -> UInt8?) -> Start {
    if let values { return .with(values) }
    if let priority, !hasNoValues() || current() != priority { return .inTask(priority: priority) }
    return .here
  }
}

extension Inheritance: Sendable where Locals: Sendable {}
extension Inheritance.Start: Equatable where Locals: Equatable {}
