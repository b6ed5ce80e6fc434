/// The limits of an effect's steps in a call that has other work to do.
///
/// Beyond them, the effect continues in a task.
///
/// The limits bound a time. A step takes several times as long in a debug build, which therefore allows an eighth of
/// the steps.
enum InlineWorkLimit {
  /// The maximum number of items that a round performs.
  static let items = passes * 1_024
  /// The maximum number of times that a pass takes the lock, each time for at most 1,024 effects.
  #if DEBUG
    static let passes = 8
  #else
    static let passes = 64
  #endif
  /// The maximum number of a source's waiting effects that begin one after the other.
  static let emissions = 64
}
