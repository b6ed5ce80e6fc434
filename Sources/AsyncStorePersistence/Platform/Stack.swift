import CAsyncStorePersistence

/// The stack of a thread, for functions that call themselves once for each level of a document.
enum Stack {
  /// The number of bytes that one level may take, with what it calls, the coding of users' types among it.
  private static let reserve: UInt = 32 << 10

  /// True if there is room for another level.
  static var hasRoom: Bool { asyncStorePersistence_remainingStack() > reserve }
}
