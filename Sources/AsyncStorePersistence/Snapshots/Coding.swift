import Foundation

/// The encoding of a value in a storage: its version, and the migrations from older versions.
struct Coding<Value: Codable>: Sendable {
  let version: Int
  let migrations: [Migration]

  /// - Throws: ``PersistenceError`` with the code `notMigratable` if two migrations start from the same version.
  init(version: Int, migrations: [Migration], for storage: String) throws {
    trap(unless: version > 0, "The version of saved data must be at least 1, not \(version).")
    var versions: Set<Int> = []
    for migration in migrations where !versions.insert(migration.version).inserted {
      throw PersistenceError(
        .notMigratable, storage: storage,
        "Two migrations start from version \(migration.version) of the data. Remove one of them.")
    }
    self.version = version
    self.migrations = migrations
  }

  func encode(_ value: Value, for storage: String) throws(PersistenceError) -> Data {
    do {
      // Foundation's encoder writes values that its decoder finds nested too deep, and encodes equal sets differently.
      let content = try Stack.requiringRoom { try JSONValue(encoding: value).data }
      return try Snapshot(version: version, content: content).data
    } catch is Stack.Shortage {
      throw PersistenceError(
        .notEncodable, storage: storage,
        "The state for \(storage) can't be encoded on this thread, whose stack is too small for it, or nearly used up. "
          + "Save it on a thread with a larger stack, such as the main thread.")
    } catch {
      throw PersistenceError(.notEncodable, storage: storage, "The state for \(storage) can't be encoded: \(error)")
    }
  }

  /// - Throws: ``PersistenceError``; with the code `notReadable` if this thread has too little stack.
  func decode(_ data: Data, from storage: String) throws -> Value {
    try Snapshot.reading(storage) { try decodeWithRoom(data, from: storage) }
  }

  private func decodeWithRoom(_ data: Data, from storage: String) throws -> Value {
    let snapshot = try Snapshot(data, from: storage)
    guard snapshot.version <= version else {
      throw PersistenceError(
        .newer, storage: storage,
        "\(storage) was saved by a newer version of the program: it has version \(snapshot.version) of the data, and this program knows \(version). It is left as it is."
      )
    }
    var content = snapshot.content
    for step in snapshot.version..<version {
      guard let migration = migrations.first(where: { $0.version == step }) else {
        throw PersistenceError(
          .notMigratable, storage: storage,
          "\(storage) has version \(snapshot.version) of the data, and there is no migration from version \(step). It is left as it is."
        )
      }
      do {
        content = try migration.body(content)
      } catch {
        throw PersistenceError(
          .notMigratable, storage: storage,
          "\(storage) can't be migrated from version \(step) to \(step + 1): \(error). It is left as it is.")
      }
    }
    do {
      return try JSONValue(data: content).decoded()
    } catch let error where snapshot.version < version {
      throw PersistenceError(
        .notMigratable, storage: storage,
        "\(storage) has version \(snapshot.version) of the data, and its migrations make something other than "
          + "\(Value.self) of it: \(error). It is left as it is."
      )
    } catch {
      throw PersistenceError(
        .damaged, storage: storage,
        "\(storage) holds something other than \(Value.self): \(error). It is left as it is. If \(Value.self) has "
          + "changed since it was saved, pass a higher `version:`, and a Migration(from: \(version)) in `migrations:`."
      )
    }
  }
}
