import AsyncStore

/// The history of a model's state, in order: an initial state, and every later change.
///
/// A store keeps a log after a call of `startRecording(capacity:checkpointEvery:)`. A log is a value: it can be saved,
/// exported as JSON lines, replayed and audited without any store.
///
/// ```swift
/// let tally = StoreOf<Tally>(state: Tally(), env: ())
/// tally.startRecording()
/// tally.send(.add(2))
/// tally.send(.increment)
/// let log = try #require(tally.actionLog)
/// let state = try log.replay()
/// // state == tally.state
/// // log.state(at: 1)?.count == 2
/// ```
///
/// A log is *complete*: a change that no action made, such as an effect's `set` or a silent change, is recorded as the
/// resulting state. It is *checked*: the state itself is kept at regular intervals, and ``replay(_:)`` compares it.
public struct ActionLog<State: Model>: Sendable {
  /// One change of the state.
  public enum Change: Sendable {
    /// An action.
    case action(State.Action)
    /// A change that no action made, such as an effect's `set` or a reset, as the resulting state.
    case state(State)
  }

  /// The maximum number of kept changes.
  ///
  /// If there are more, the oldest is applied to ``initial`` and dropped.
  public let capacity: Int
  /// The number of changes after which the state itself is kept.
  public let checkpointInterval: Int
  /// The state before the first kept change.
  ///
  /// When the log is full, the model's `update` changes this state in place, and releases the values that it replaces.
  /// In a store's log, it does so under the store's lock, as with the store's own state.
  public private(set) var initial: State
  /// The indices of the kept changes.
  ///
  /// Change `i` led from state `i` to state `i + 1`; the first change of all has the index 0.
  public private(set) var indices: Range<Int>

  /// The changes; those from `first` on are kept.
  private var stored: [Change] = []
  private var first = 0
  /// The kept states, by index.
  private(set) var checkpoints: [Int: State] = [:]

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - initial: the state before the first change.
  ///   - capacity: the maximum number of changes to keep, at least 1, otherwise traps. Unlimited by default.
  ///   - checkpointInterval: the number of changes after which the state is kept, at least 1, otherwise traps. With 1,
  ///     every change is checked, which costs a copy of what it changed.
  public init(initial: State, capacity: Int = .max, checkpointEvery checkpointInterval: Int = 1_000) {
    self.init(initial: initial, at: 0, capacity: capacity, checkpointEvery: checkpointInterval)
  }

  init(initial: State, at index: Int, capacity: Int, checkpointEvery checkpointInterval: Int) {
    trap(unless: capacity > 0, "A log's capacity must be at least 1, not \(capacity).")
    trap(
      unless: checkpointInterval > 0, "A log's checkpoint interval must be at least 1, not \(checkpointInterval).")
    self.initial = initial
    self.capacity = capacity
    self.checkpointInterval = checkpointInterval
    indices = index..<index
  }

  /// The indices at which a log may begin, which leave room for more changes than memory can hold.
  static var firstIndices: ClosedRange<Int> { 0...(.max / 2) }

  /// The number of kept changes.
  public var count: Int { indices.count }

  /// The kept changes, oldest first.
  public var changes: ArraySlice<Change> { stored[first...] }

  /// A change by its index.
  ///
  /// - Parameter index: one of ``indices``; any other traps.
  public subscript(index: Int) -> Change {
    trap(unless: indices.contains(index), "The index must be one of the log's indices, \(indices), not \(index).")
    return stored[first + index - indices.lowerBound]
  }

  // MARK: Writing

  /// Adds a change.
  ///
  /// The state is not checked; ``replay(_:)`` checks it.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - state: the resulting state.
  /// - Complexity: amortized constant; if the log is full, also one `update` of the model.
  public mutating func append(_ change: Change, leadingTo state: State) {
    var released = ReleasedValues()
    append(change, leadingTo: state, &released)
  }

  /// Adds a change.
  ///
  /// - Parameter released: receives the values that are dropped to make room.
  mutating func append(_ change: Change, leadingTo state: State, _ released: inout ReleasedValues) {
    append(unchecked: change, &released)
    if indices.upperBound.isMultiple(of: checkpointInterval) { checkpoints[indices.upperBound] = state }
  }

  /// Adds a change without the resulting state.
  mutating func append(unchecked change: Change) {
    var released = ReleasedValues()
    append(unchecked: change, &released)
  }

  private mutating func append(unchecked change: Change, _ released: inout ReleasedValues) {
    stored.append(change)
    indices = indices.lowerBound..<(indices.upperBound + 1)
    if count > capacity { dropOldest(&released) }
  }

  private mutating func dropOldest(_ released: inout ReleasedValues) {
    Self.apply(stored[first], to: &initial, &released)
    first += 1
    // The state at the beginning may be a kept one, too.
    dropCheckpoint(indices.lowerBound, &released)
    indices = (indices.lowerBound + 1)..<indices.upperBound
    dropCheckpoint(indices.lowerBound, &released)
    if first >= 1_024, first * 2 >= stored.count {
      if !_isPOD(Change.self) { released.append(Array(stored[..<first])) }
      stored.removeFirst(first)
      first = 0
    }
  }

  private mutating func dropCheckpoint(_ index: Int, _ released: inout ReleasedValues) {
    if let state = checkpoints.removeValue(forKey: index) { released.append(state) }
  }

  /// Keeps the state after the last change, for comparison.
  mutating func keep(_ state: State) { checkpoints[indices.upperBound] = state }

  /// Returns whether no other state is known for an index.
  func agrees(with state: State, at index: Int) -> Bool {
    let known = index == indices.lowerBound ? initial : checkpoints[index]
    return known.map { repeats($0, state) } ?? true
  }

  mutating func keep(_ state: State, at index: Int) { checkpoints[index] = state }

  /// Removes the changes from an index on.
  mutating func removeAll(from index: Int, _ released: inout ReleasedValues) {
    guard index < indices.upperBound else { return }
    let count = indices.upperBound - index
    released.append(Array(stored.suffix(count)))
    released.append(checkpoints)
    stored.removeLast(count)
    indices = indices.lowerBound..<index
    checkpoints = checkpoints.filter { $0.key <= index }
  }

  // MARK: Reading

  static func apply(_ change: Change, to state: inout State) {
    var released = ReleasedValues()
    apply(change, to: &state, &released)
  }

  private static func apply(_ change: Change, to state: inout State, _ released: inout ReleasedValues) {
    switch change {
    case .action(let action):
      // The effect is inert: nobody interprets it here.
      let effect = State.update(&state, action)
      if !effect.isNone { released.append(effect) }
    case .state(let new):
      released.append(state)
      state = new
    }
  }

  /// Returns whether the log has the state before a change, or after the last one.
  func hasState(at index: Int) -> Bool { index >= indices.lowerBound && index <= indices.upperBound }

  /// Returns the state before a change, or after the last one; `nil` if the index is outside the log.
  ///
  /// The model's `update` computes it, on the calling thread; the result is not checked.
  ///
  /// - Complexity: linear in the number of changes since the nearest earlier state that the log contains.
  public func state(at index: Int) -> State? {
    var released = ReleasedValues()
    return state(at: index, &released)
  }

  func state(at index: Int, _ released: inout ReleasedValues) -> State? {
    guard hasState(at: index) else { return nil }
    var start = index
    while start > indices.lowerBound, knownState(at: start) == nil { start -= 1 }
    var state = knownState(at: start) ?? initial
    for change in changes.dropFirst(start - indices.lowerBound).prefix(index - start) {
      Self.apply(change, to: &state, &released)
    }
    return state
  }

  /// Returns the state before a change if the log contains it, as a kept state or in the previous change.
  private func knownState(at index: Int) -> State? {
    if let state = checkpoints[index] { return state }
    guard index > indices.lowerBound, case .state(let state) = self[index - 1] else { return nil }
    return state
  }

  /// Repeats all changes, from the first to the last.
  ///
  /// The model's `update` and `visit` run on the calling thread, under no lock. No store changes, no middleware runs,
  /// and the effects that `update` returns are not interpreted.
  ///
  /// - Parameter visit: called with each state and its index, including the initial state, until a state diverges.
  /// - Returns: the last state.
  /// - Throws: ``ActionLogError`` with the code `diverged` if a kept state differs from the computed one: `update`
  ///   depends on something other than state and action, or is not the one that wrote the log.
  /// - Complexity: linear in the number of changes.
  @discardableResult
  public func replay(_ visit: (Int, State) -> Void = { _, _ in }) throws -> State {
    var state = initial
    visit(indices.lowerBound, state)
    var index = indices.lowerBound
    var verified = index
    for change in changes {
      Self.apply(change, to: &state)
      index += 1
      if let kept = checkpoints[index] {
        guard repeats(kept, state) else {
          throw ActionLogError(
            .diverged,
            "Replaying the changes \(verified)..<\(index) led to another state than when they were made: \(state) instead of \(kept)."
          )
        }
        verified = index
      }
      visit(index, state)
    }
    return state
  }
}

extension ActionLog.Change: Equatable where State.Action: Equatable {}
