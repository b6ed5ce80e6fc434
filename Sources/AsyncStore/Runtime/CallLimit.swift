/// How far a call that has other work to do goes on with an effect before the rest continues in a task.
///
/// The limit bounds a time. A step takes about ten times as long in a debug build, which therefore takes an eighth.
enum CallLimit {
  /// The number of effects that the machine interprets, or of items of a round.
  static let steps = passes * 1_024
  /// The number of times that a pass takes the lock, each time for at most 1,024 effects.
  #if DEBUG
    static let passes = 8
  #else
    static let passes = 64
  #endif
}
