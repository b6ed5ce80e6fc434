import AsyncStorePersistence
import Foundation
import Testing

@Suite("A saved state")
struct RefusalTests {
  private func saved(_ library: Library = Library(books: ["one"]), version: Int = 1) throws -> Data {
    let storage = MemoryStorage()
    let store = LibraryStore(library)
    try store.persist(\.self, in: storage, version: version).save()
    return try #require(storage.data)
  }

  /// Tries to persist over data, and checks that it is refused and stays as it is.
  private func refusal(
    of data: Data, version: Int = 1, migrations: [Migration] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws -> PersistenceError? {
    let folder = Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try data.write(to: folder.file())
    let store = LibraryStore(Library(books: ["other"]))
    let error = #expect(throws: PersistenceError.self, sourceLocation: sourceLocation) {
      try store.persist(
        \.self, in: FileStorage(folder.file()), version: version, migrations: migrations, saving: .immediate)
    }
    store.receive(.append("more", to: \.books))
    store.deactivate()
    #expect(store.books == ["other", "more"], sourceLocation: sourceLocation)
    #expect(try Data(contentsOf: folder.file()) == data, sourceLocation: sourceLocation)
    #expect(folder.names == ["state.json"], sourceLocation: sourceLocation)
    #expect(error?.description.contains(folder.file().path) == true, sourceLocation: sourceLocation)
    return error
  }

  @Test("A saved state with any byte changed is refused, and left as it is")
  func anyByte() throws {
    let good = try saved()
    for index in good.indices {
      var bad = good
      bad[index] ^= 0x02
      // The only change of the head that could be intended is another version.
      #expect(try refusal(of: bad, version: 9)?.code != nil, "byte \(index)")
    }
  }

  @Test("A saved state is refused wherever it was cut off")
  func anyLength() throws {
    let good = try saved()
    for length in good.indices { #expect(try refusal(of: good.prefix(length))?.code == .damaged, "length \(length)") }
    #expect(try refusal(of: good + [0x20])?.code == .damaged)
  }

  @Test("Data that is not a saved state of the store's type is refused")
  func somethingElse() throws {
    #expect(try refusal(of: Data("{\"books\":[]}".utf8))?.code == .damaged)
    let storage = MemoryStorage()
    let numbers = AsyncStore(state: [1, 2], env: ())
    try numbers.persist(\.self, in: storage).save()
    #expect(try refusal(of: try #require(storage.data))?.code == .damaged)
  }

  @Test("A saved state of a changed type with the same version is refused, and the error says what to pass")
  func changedType() throws {
    struct Before: Codable, Sendable { var books = ["one"] }
    let storage = MemoryStorage()
    try AsyncStore(state: Before(), env: ()).persist(\.self, in: storage, version: 4).save()
    let error = try refusal(of: try #require(storage.data), version: 4)
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("a higher `version:`, and a Migration(from: 4) in `migrations:`") == true)
  }

  /// A list that takes whatever it can't decode for its end.
  final class Lenient: Codable, Sendable {
    let next: Lenient?

    init(_ next: Lenient?) { self.next = next }

    init(from decoder: any Decoder) throws {
      next = try? decoder.container(keyedBy: CodingKeys.self).decode(Lenient.self, forKey: .next)
    }

    var count: Int { sequence(first: self, next: \.next).reduce(0) { count, _ in count + 1 } }
  }

  @Test("A saved state is read whole or not at all, and not taken for damaged, on a stack of any size")
  func smallStacks() async {
    await #expect(processExitsWith: .success) {
      let storage = MemoryStorage()
      let levels = JSONValue.maximumDepth - 1
      let isSaved = onThread(stack: 16 << 20) {
        let list = (1..<levels).reduce(Lenient(nil)) { list, _ in Lenient(list) }
        return code { try AsyncStore(state: list, env: ()).persist(\.self, in: storage).save() } == nil
      }
      precondition(isSaved)
      var sizes = (2...32).map { $0 * 128 << 10 }
      sizes.append(16 << 20)
      let reads = sizes.map { size in
        onThread(stack: size) {
          var count: Int?
          let code = code { count = try storage.load(Lenient.self)?.count }
          precondition(count == levels || code == .notReadable, "\(size): \(count ?? 0), \(String(describing: code))")
          return count
        }
      }
      precondition(reads.first == .some(nil) && reads.last == levels)
    }
  }

  @Test("A state that a newer version of the program saved is refused")
  func newer() throws {
    let error = try refusal(of: saved(version: 3), version: 2)
    #expect(error?.code == .newer)
    #expect(error?.description.contains("version 3") == true)
  }

  struct Old: Codable, Sendable { var title = "" }

  @Test("A saved state is migrated version by version")
  func migrations() throws {
    let storage = MemoryStorage()
    try AsyncStore(state: Old(title: "one"), env: ()).persist(\.self, in: storage).save()
    let store = LibraryStore()
    let persistence = try store.persist(
      \.self, in: storage, version: 3,
      migrations: [
        Migration(from: 2) { (titles: [String]) in Library(books: titles, shelf: .init(width: 4)) },
        Migration(from: 1) { (old: Old) in [old.title, "two"] },
      ])
    #expect(store.state == Library(books: ["one", "two"], shelf: .init(width: 4)))
    try persistence.save()
    let other = LibraryStore()
    try other.persist(\.self, in: storage, version: 3)
    #expect(other.state == store.state)
  }

  @Test("A saved state is refused if a migration is missing or fails")
  func noMigration() throws {
    let data = try saved()
    #expect(try refusal(of: data, version: 3)?.code == .notMigratable)
    let error = try refusal(
      of: data, version: 2, migrations: [Migration(fromJSONOfVersion: 1) { _ in throw MemoryStorage.Broken() }])
    #expect(error?.code == .notMigratable)
    #expect(error?.description.contains("Broken") == true)
  }
}
