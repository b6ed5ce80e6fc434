import AsyncStore

/// The steps of a history.
///
/// Values that are given up here are kept until they can be released after the lock.
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
  /// The values that have been given up, to be released after the store's lock.
  var released = ReleasedValues()

  init(limit: Int) { self.limit = limit }

  /// Records the value after a commit.
  ///
  /// `nil` means that the part is missing. Its arrival is not a step.
  func take(_ value: Value?) {
    let hasArrived = isMissing
    isMissing = value == nil
    guard let value else { return }
    guard let last = current else { return current = value }
    // The usual commit leaves the part unchanged, and there is nothing to give up.
    if isIdentical(value, last) { return }
    current = value
    guard !hasArrived, !repeats(value, last) else { return released.append(last) }
    giveUpFuture()
    if depth == 0 {
      push(last)
    } else if groupStart == nil {
      groupStart = last
    } else {
      released.append(last)
    }
  }

  private func push(_ value: Value) {
    past.append(value)
    if past.count > limit { released.append(past.removeFirst()) }
  }

  private func giveUpFuture() {
    guard !future.isEmpty else { return }
    released.append(future)
    future = []
  }

  func beginGroup() { depth += 1 }

  func endGroup() {
    guard depth > 0 else { return }
    depth -= 1
    if depth == 0 { closeGroup() }
  }

  private func closeGroup() {
    guard let start = groupStart.take() else { return }
    if isCurrent(start) { released.append(start) } else { push(start) }
  }

  private var groupIsStep: Bool { groupStart.map { !isCurrent($0) } ?? false }

  private func isCurrent(_ value: Value) -> Bool { current.map { repeats($0, value) } ?? false }

  /// The number of steps that can be undone.
  ///
  /// An open group counts as closed, because undoing closes it first.
  var undoCount: Int { min(past.count + (groupIsStep ? 1 : 0), limit) }

  /// Records the value that undoing or redoing has led to.
  ///
  /// A setter may store another value than it is given, such as a rounded or a limited one. That is no new change.
  func arrive(at value: Value?) {
    guard let value, let asked = current, !isIdentical(value, asked) else { return }
    released.append(asked)
    current = value
  }

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
    if !past.isEmpty { released.append(past) }
    past = []
    giveUpFuture()
    if let start = groupStart.take() { released.append(start) }
  }
}

/// Returns whether two values are bitwise identical, so that they hold the same objects.
private func isIdentical<Value>(_ value: Value, _ other: Value) -> Bool {
  withUnsafeBytes(of: value) { value in
    withUnsafeBytes(of: other) { value.elementsEqual($0) }
  }
}
