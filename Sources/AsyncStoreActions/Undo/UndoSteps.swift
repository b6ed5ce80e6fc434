/// The steps of a history.
///
/// `@unchecked`: all its variables are touched only under the store's lock.
final class UndoSteps<Value: Equatable & Sendable>: @unchecked Sendable {
  private let limit: Int
  private var current: Value?
  private var isMissing = true
  private var past: [Value] = []
  private(set) var future: [Value] = []
  private var depth = 0
  /// The part's value at the beginning of the group, once it has changed.
  private var groupStart: Value?

  init(limit: Int) { self.limit = limit }

  /// Takes the value after a commit, or `nil` while it is missing; its arrival is no step.
  func take(_ value: Value?) {
    let hasArrived = isMissing
    isMissing = value == nil
    guard let value else { return }
    defer { current = value }
    guard !hasArrived, let last = current, value != last else { return }
    future = []
    if depth == 0 {
      push(last)
    } else if groupStart == nil {
      groupStart = last
    }
  }

  private func push(_ value: Value) {
    past.append(value)
    if past.count > limit { past.removeFirst() }
  }

  func beginGroup() { depth += 1 }

  func endGroup() {
    guard depth > 0 else { return }
    depth -= 1
    if depth == 0 { closeGroup() }
  }

  private func closeGroup() {
    if groupIsStep, let start = groupStart { push(start) }
    groupStart = nil
  }

  private var groupIsStep: Bool { groupStart != nil && groupStart != current }

  /// The number of steps that can be undone.
  ///
  /// An open group counts as closed, as undoing closes it first.
  var undoCount: Int { min(past.count + (groupIsStep ? 1 : 0), limit) }

  /// Goes back to the previous value, which becomes the current one, and returns it.
  func undo() -> Value? {
    closeGroup()
    guard let last = current, let value = past.popLast() else { return nil }
    future.append(last)
    current = value
    return value
  }

  func redo() -> Value? {
    closeGroup()
    guard let last = current, let value = future.popLast() else { return nil }
    past.append(last)
    current = value
    return value
  }

  func clear() {
    past = []
    future = []
    groupStart = nil
  }
}
