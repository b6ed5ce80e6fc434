import CAsyncStorePersistence

/// The stack of a thread, for functions that call themselves once for each level of a document.
package enum Stack {
  /// The error of a call that had too little room.
  struct Shortage: Error {}

  /// The number of bytes that one level may take, including the code it calls, such as the coding of users' types.
  package static let reserve: UInt = 32 << 10

  /// The number of remaining bytes; very large if it is unknown.
  package static var remaining: UInt { asyncStorePersistence_remainingStack() }

  /// True if there is room for another level; if not, the caller refuses to continue.
  static var hasRoom: Bool {
    if remaining > reserve { return true }
    asyncStorePersistence_noteStackShortage()
    return false
  }

  /// Calls `body`, and returns its result if the stack had room for everything that it did.
  ///
  /// The refusals are counted, because their errors may be caught on the way, for example by the coding of users'
  /// types.
  ///
  /// - Throws: ``Shortage`` if anything was refused for lack of room, whatever `body` returned or threw; otherwise the
  ///   errors of `body`.
  static func requiringRoom<Value>(_ body: () throws -> Value) throws -> Value {
    let count = asyncStorePersistence_stackShortageCount()
    let result = Result { try body() }
    if asyncStorePersistence_stackShortageCount() != count { throw Shortage() }
    return try result.get()
  }
}
