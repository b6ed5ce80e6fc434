import CAsyncStorePersistence

/// The stack of a thread, for functions that call themselves once for each level of a document.
package enum Stack {
  /// The error of something that had too little room.
  struct Shortage: Error {}

  /// The number of bytes that one level may take, with what it calls, the coding of users' types among it.
  package static let reserve: UInt = 32 << 10

  /// The number of bytes that are left; very many where nobody knows.
  package static var remaining: UInt { asyncStorePersistence_remainingStack() }

  /// True if there is room for another level; the caller refuses to go on if there is none.
  static var hasRoom: Bool {
    if remaining > reserve { return true }
    asyncStorePersistence_noteStackShortage()
    return false
  }

  /// Calls `body`, and returns its result if the stack had room for all that it did.
  ///
  /// The refusals are counted, because their errors may be caught on the way, by the coding of users' types too.
  ///
  /// - Throws: ``Shortage`` if anything was refused for want of room, whatever `body` has returned or thrown; else the
  ///   errors of `body`.
  static func requiringRoom<Value>(_ body: () throws -> Value) throws -> Value {
    let count = asyncStorePersistence_stackShortageCount()
    let result = Result { try body() }
    if asyncStorePersistence_stackShortageCount() != count { throw Shortage() }
    return try result.get()
  }
}
