import AsyncStorePersistence
import Foundation
import Testing

@Suite("A file that was damaged")
struct CorruptionTests {
  let folder = Folder()

  @Test("A damaged file is refused and kept, and its previous version can be restored")
  func anyDamage() throws {
    let storage = FileStorage(folder.file())
    let store = LibraryStore()
    let persistence = try store.persist(\.self, in: storage)
    for count in [200, 201] {
      store.receive(.set(\.books, to: (0..<count).map { "Book \($0)" }))
      try persistence.save()
    }
    persistence.stop()
    let (good, before) = (try #require(try storage.read()), try #require(try storage.readPrevious()))
    var generator = SplitMix64(seed: 2_026)
    for round in 0..<Nightly.count(5_000, otherwise: 100) {
      let damaged = damage(good, &generator)
      if damaged == good { continue }
      try damaged.write(to: folder.file())
      let store = LibraryStore()
      #expect(throws: PersistenceError.self, "round \(round)") { try store.persist(\.self, in: storage) }
      #expect(store.books == [])
      #expect(try Data(contentsOf: folder.file()) == damaged)
      #expect(try storage.restorePrevious())
      #expect(try storage.read() == before)
      try store.persist(\.self, in: storage).stop()
      #expect(store.books.count == 200)
      try FileManager.default.removeItem(at: folder.file("state.json.damaged1"))
    }
  }

  private func damage(_ data: Data, _ generator: inout SplitMix64) -> Data {
    var data = data
    let index = Int.random(in: data.indices, using: &generator)
    let end = min(data.count, index + Int.random(in: 1...512, using: &generator))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1: data[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: data = data.prefix(index)
    case 3: data.replaceSubrange(index..<end, with: Data(count: end - index))
    case 4: data.removeSubrange(index..<end)
    default: data.insert(contentsOf: data[index..<end], at: index)
    }
    return data
  }
}
