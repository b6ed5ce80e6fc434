import AsyncStorePersistence
import Foundation
import Testing

@Suite("Limits of depth and size")
struct LimitTests {
  @Test("Comparing and patching deeply nested values does not overflow the stack")
  func depth() async {
    await #expect(processExitsWith: .success) {
      func nested(_ leaf: JSONValue) -> JSONValue { (0..<10_000).reduce(leaf) { value, _ in .array([value]) } }
      let (old, new) = (nested(1), nested(2))
      let patch = JSONPatch(from: old, to: new)
      precondition(patch.operations.count == 1)
      let result = try patch.applied(to: old)
      precondition(result == new)
      _ = try? StateDiff(from: old, to: new)
      _ = [old.description, "\(Set([old, new]).count)"]
    }
  }

  @Test("A file storage writes nothing that is longer than its limit")
  func size() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file(), limit: 1_000)
    try storage.write(Data(count: 1_000))
    #expect(try storage.read()?.count == 1_000)
    #expect(throws: PersistenceError.self) { try storage.write(Data(count: 1_001)) }
    #expect(try storage.read()?.count == 1_000)
    #expect(folder.names == ["state.json"])
    let store = LibraryStore(Library(books: [String(repeating: "long", count: 1_000)]))
    try FileManager.default.removeItem(at: folder.file())
    let persistence = try store.persist(\.self, in: storage)
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .tooLarge)
  }

  @Test("A save does not write over a file that has become longer than the limit")
  func grown() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file(), limit: 1_000)
    let store = LibraryStore()
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try persistence.save()
    let foreign = Data(count: 1_001)
    try foreign.write(to: folder.file())
    store.receive(.append("one", to: \.books))
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .tooLarge)
    #expect(try Data(contentsOf: folder.file()) == foreign)
  }

  @Test("The default size limit is 256 MiB, and a file beyond it takes no memory")
  func large() throws {
    let folder = Folder()
    let storage = FileStorage(folder.file())
    try storage.write(Data("{}".utf8))
    let file = try FileHandle(forWritingTo: folder.file())
    try file.truncate(atOffset: 1 << 40)
    try file.close()
    let error = #expect(throws: PersistenceError.self) { try LibraryStore().persist(\.self, in: storage) }
    #expect(error?.code == .tooLarge)
    #expect(error?.description.contains("268435456") == true)
  }

  @Test("A state that is nested too deeply to be read again is not saved")
  func savedDepth() throws {
    let storage = MemoryStorage()
    let store = AsyncStore(state: JSONCodingTests.Chain(length: 400), env: ())
    let persistence = try store.persist(\.self, in: storage)
    let error = #expect(throws: PersistenceError.self) { try persistence.save() }
    #expect(error?.code == .notEncodable)
    store.receive(.set { $0 = .init(length: 100) })
    try persistence.save()
    #expect(try storage.load(JSONCodingTests.Chain.self) != nil)
  }
}
