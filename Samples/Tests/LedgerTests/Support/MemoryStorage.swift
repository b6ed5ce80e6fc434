import AsyncStorePersistence
import Foundation
import Synchronization

/// A storage in memory, whose writes fail when the test wants them to.
final class MemoryStorage: Storage {
  struct Broken: Error {}

  private struct Content {
    var data: Data?
    var writeCount = 0
    var isBroken = false
  }

  let name = "memory"
  private let content: Mutex<Content>

  init(_ data: Data? = nil) { content = Mutex(Content(data: data)) }

  var data: Data? { content.withLock { $0.data } }
  var writeCount: Int { content.withLock { $0.writeCount } }

  func setBroken(_ isBroken: Bool) { content.withLock { $0.isBroken = isBroken } }

  func read() -> Data? { data }

  func write(_ data: Data) throws {
    let isBroken = content.withLock { content in
      if !content.isBroken {
        content.data = data
        content.writeCount += 1
      }
      return content.isBroken
    }
    if isBroken { throw Broken() }
  }
}
