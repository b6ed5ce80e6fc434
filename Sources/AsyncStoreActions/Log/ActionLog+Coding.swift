extension ActionLog.Change: Codable where State: Codable, State.Action: Codable {
  private enum Key: String, CodingKey, CaseIterable { case action, set }

  /// Decodes the output of ``encode(to:)``.
  ///
  /// - Throws: `DecodingError` if there is neither an action nor a state, or both, or an unknown key; the errors of
  ///   their own decoding.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self =
      switch try decoder.onlyKey(of: Key.self) {
      case .set: .state(try container.decode(State.self, forKey: .set))
      case .action: .action(try container.decode(State.Action.self, forKey: .action))
      }
  }

  /// Encodes an action under the key `action`, any other change under the key `set`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .action(let action): try container.encode(action, forKey: .action)
    case .state(let state): try container.encode(state, forKey: .set)
    }
  }
}

extension Decoder {
  /// Returns the only key of the container.
  ///
  /// - Throws: `DecodingError` if there is none, more than one, or an unknown one.
  func onlyKey<Key: CodingKey & CaseIterable>(of type: Key.Type) throws -> Key {
    let container = try container(keyedBy: Key.self)
    try refuseKeys(except: Key.allCases.map(\.stringValue))
    if let key = container.allKeys.first, container.allKeys.count == 1 { return key }
    let found =
      container.allKeys.isEmpty ? "none" : container.allKeys.map(\.stringValue).sorted().joined(separator: " and ")
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: codingPath, debugDescription: "one kind of change is needed, not \(found)"))
  }

  /// Refuses keys of the container that are unknown.
  ///
  /// - Throws: `DecodingError` that names them.
  func refuseKeys(except known: [String]) throws {
    let unknown = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).filter { !known.contains($0) }
    if unknown.isEmpty { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "unknown keys: \(unknown.sorted().joined(separator: ", "))"))
  }
}

/// A key of any name.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension ActionLog: Codable where State: Codable, State.Action: Codable {
  private enum Key: String, CodingKey { case capacity, checkpointInterval, index, initial, changes, checkpoints }

  private struct Checkpoint: Codable {
    let index: Int
    let state: State
  }

  /// Decodes the output of ``encode(to:)``.
  ///
  /// Decoding does not replay the log; to check the log, call ``replay(_:)``.
  ///
  /// - Throws: `DecodingError` if the capacity or the interval is not above 0, no log can begin at the index, or a kept
  ///   state is outside the log; the errors of the state's or the actions' own decoding.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func positive(_ key: Key) throws -> Int {
      let number = try container.decode(Int.self, forKey: key)
      guard number > 0 else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "\(number) is not above 0")
      }
      return number
    }
    let index = try container.decode(Int.self, forKey: .index)
    guard Self.firstIndices.contains(index) else {
      throw DecodingError.dataCorruptedError(
        forKey: .index, in: container, debugDescription: "no log begins at \(index)")
    }
    self.init(
      initial: try container.decode(State.self, forKey: .initial), at: index,
      capacity: try positive(.capacity), checkpointEvery: try positive(.checkpointInterval))
    for change in try container.decode([Change].self, forKey: .changes) { append(unchecked: change) }
    for checkpoint in try container.decode([Checkpoint].self, forKey: .checkpoints) {
      guard hasState(at: checkpoint.index) else {
        throw DecodingError.dataCorruptedError(
          forKey: .checkpoints, in: container,
          debugDescription: "a state at \(checkpoint.index) of a log of the changes \(indices)")
      }
      guard agrees(with: checkpoint.state, at: checkpoint.index) else {
        throw DecodingError.dataCorruptedError(
          forKey: .checkpoints, in: container, debugDescription: "two states at \(checkpoint.index)")
      }
      keep(checkpoint.state, at: checkpoint.index)
    }
  }

  /// Encodes the whole log.
  ///
  /// - Throws: an error of the encoding of the state or of an action.
  /// - Complexity: linear in the number of changes and of kept states.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(capacity, forKey: .capacity)
    try container.encode(checkpointInterval, forKey: .checkpointInterval)
    try container.encode(indices.lowerBound, forKey: .index)
    try container.encode(initial, forKey: .initial)
    try container.encode(Array(changes), forKey: .changes)
    let kept = checkpoints.sorted { $0.key < $1.key }.map { Checkpoint(index: $0.key, state: $0.value) }
    try container.encode(kept, forKey: .checkpoints)
  }
}
