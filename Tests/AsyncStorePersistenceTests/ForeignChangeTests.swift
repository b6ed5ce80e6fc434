import AsyncStorePersistence
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A file that others change")
struct ForeignChangeTests {
  let folder = Folder()
  var storage: FileStorage { FileStorage(folder.file()) }
  private let store = LibraryStore(Library(books: ["one"]))

  private func saved(_ library: Library, version: Int = 1) throws -> Data {
    let storage = MemoryStorage()
    try LibraryStore(library).persist(\.self, in: storage, version: version).save()
    return try #require(storage.data)
  }

  @Test("A deleted file is written again even if the state is the same")
  func deleted() throws {
    let persistence = try store.persist(\.self, in: storage)
    try persistence.save()
    try FileManager.default.removeItem(at: folder.file())
    try persistence.save()
    #expect(try storage.load(Library.self)?.books == ["one"])
  }

  @Test("A damaged file is written again, and the damaged one is kept")
  func damaged() throws {
    let persistence = try store.persist(\.self, in: storage)
    try persistence.save()
    try Data("damage".utf8).write(to: folder.file())
    try persistence.save()
    #expect(try storage.load(Library.self)?.books == ["one"])
    #expect(try Data(contentsOf: folder.file("state.json.damaged1")) == Data("damage".utf8))
  }

  @Test("A file that another program saved is left alone, whether it is newer or not", arguments: [1, 2])
  func others(version: Int) throws {
    let persistence = try store.persist(\.self, in: storage)
    try persistence.save()
    let other = try saved(Library(books: ["other"]), version: version)
    try other.write(to: folder.file())
    store.receive(.append("two", to: \.books))
    #expect(throws: PersistenceError.self) { try persistence.save() }
    store.deactivate()
    #expect(try Data(contentsOf: folder.file()) == other)
    try FileManager.default.moveItem(at: folder.file(), to: folder.file("away"))
    try persistence.save()
    #expect(try storage.load(Library.self)?.books == ["one", "two"])
  }

  @Test("A thread with too little stack leaves saved data alone, and does not take it for damaged")
  func littleStack() async {
    await #expect(processExitsWith: .success) {
      let (storage, other) = (MemoryStorage(), MemoryStorage())
      try AsyncStore(state: 7, env: ()).persist(\.self, in: other).save()
      let store = AsyncStore(state: 1, env: ())
      let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
      try persistence.save()
      guard let others = other.data else { preconditionFailure("nothing was saved") }
      try storage.write(others)
      // The first error of a process has Swift Testing look much up, for which that thread has no room.
      try? { throw MemoryStorage.Broken() }()
      let codes = onThread(stack: 256 << 10, isUsedUp: true) {
        [code { try persistence.save() }, code { _ = try storage.load(Int.self) }]
      }
      precondition(codes == [.notReadable, .notReadable], "\(codes)")
      precondition(storage.data == others)
      persistence.stop()
    }
  }

  @Test("A file gives nobody more rights than before if its owner or its group can't be kept", arguments: [0, 1, 2])
  func owners(allowed: Int) throws {
    let model = folder.file("model").path(percentEncoded: false)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: model, contents: Data()))
    #expect(chmod(model, 0o2640) == 0)
    let calls = Mutex<[[UInt32]]>([])
    // As for a process without privileges, the first call fails, and so does the second one if the process is not in
    // the group.
    let files = SystemFiles { file, owner, group in
      calls.withLock { calls in
        calls.append([owner, group])
        return calls.count > 2 - allowed ? 0 : -1
      }
    }
    let copy = folder.file("copy").path(percentEncoded: false)
    try files.create(copy, Data("x".utf8), like: model)
    let mode = try #require(
      FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? NSNumber)
    #expect(mode.intValue & 0o777 == (allowed == 0 ? 0o600 : 0o640))
    #expect(calls.withLock { $0.count } == (allowed == 2 ? 1 : 2))
    #expect(calls.withLock { $0.last?.first == UInt32.max } == (allowed < 2))
  }

  @Test("A file is refused in a directory that is a dangling symbolic link", .timeLimit(.minutes(10)))
  func danglingLink() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("nothing"))
    let storage = FileStorage(link.appending(path: "state.json"))
    let error = #expect(throws: PersistenceError.self) { try storage.write(Data()) }
    #expect(error?.code == .notWritable)
  }

  @Test("A removed file gets the permissions of its previous version when it is written again")
  func permissionsOfRemoved() throws {
    let (file, previous) = (folder.file().path, folder.file().path + ".previous")
    let storage = FileStorage(folder.file())
    for text in ["one", "two"] { try storage.write(Data(text.utf8)) }
    #expect(chmod(file, 0o600) == 0 && chmod(previous, 0o600) == 0)
    try FileManager.default.removeItem(atPath: file)
    try storage.write(Data("three".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("Releasing a lock after its folder was moved does not release the new lock at the old path")
  func lockMovedAway() throws {
    let storage = FileStorage(folder.file())
    let first = try storage.lock()
    let elsewhere = URL.temporaryDirectory.appending(path: "AsyncStore-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: elsewhere) }
    try FileManager.default.moveItem(at: folder.url, to: elsewhere)
    let second = try storage.lock()
    first.unlock()
    #expect(throws: PersistenceError.self) { try storage.lock() }
    second.unlock()
  }

  @Test("A file keeps its permissions when it is written again")
  func permissions() throws {
    try storage.write(Data("one".utf8))
    #expect(chmod(folder.file().path, 0o600) == 0)
    try storage.write(Data("two".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file().path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("A file behind a symbolic link stays there, and so does its previous version")
  func symbolicLink() throws {
    let other = Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: folder.file(), withDestinationURL: other.file("real"))
    try storage.write(Data("one".utf8))
    try storage.write(Data("two".utf8))
    #expect(folder.names == ["state.json"])
    #expect(other.names == ["real", "real.previous"])
    #expect(try storage.read() == Data("two".utf8))
    // The lock belongs to the file, regardless of the name used.
    try store.persist(\.books, in: FileStorage(other.file("fresh")))
    try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: other.file("fresh"))
    #expect(throws: PersistenceError.self) {
      try LibraryStore().persist(\.books, in: FileStorage(folder.file("link")))
    }
  }

  #if os(Linux)
    @Test("A symbolic link to a name that is not UTF-8 is refused, and leads to no other file")
    func unreadableLink() throws {
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      let target: [CChar] = [0x61, -1, 0x62, 0]
      #expect(symlink(target, folder.file().path) == 0)
      let error = #expect(throws: PersistenceError.self) { try storage.load(Library.self) }
      #expect(error?.description.contains("not UTF-8") == true)
      #expect(throws: PersistenceError.self) { try store.persist(\.self, in: storage) }
      #expect(throws: PersistenceError.self) { try storage.write(Data("one".utf8)) }
      #expect(folder.names == ["state.json"])
    }
  #endif

  @Test("A pipe in place of the file is refused, and not waited for", .timeLimit(.minutes(10)))
  func pipe() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    #expect(mkfifo(folder.file().path, 0o600) == 0)
    // Keeps a waiting reader from waiting for a writer forever.
    let descriptor = open(folder.file().path, O_RDWR)
    close(descriptor)
    #expect(throws: PersistenceError.self) { try storage.write(Data("one".utf8)) }
  }

  @Test("A missing file with a previous version is reported, and the caller decides whether to restore it")
  func missing() throws {
    let persistence = try store.persist(\.self, in: storage)
    for book in ["two", "three"] {
      store.receive(.append(book, to: \.books))
      try persistence.save()
    }
    persistence.stop()
    try FileManager.default.removeItem(at: folder.file())
    let other = LibraryStore()
    #expect(throws: PersistenceError.self) { try other.persist(\.self, in: storage) }
    #expect(other.books == [])
    try storage.restorePrevious()
    try other.persist(\.self, in: storage)
    #expect(other.books == ["one", "two"])
  }

  @Test("A file is not replaced by a previous version that is damaged itself")
  func damagedPrevious() throws {
    for text in ["one", "two"] { try storage.write(Data(text.utf8)) }
    #expect(throws: PersistenceError.self) { try storage.restorePrevious() }
    #expect(try storage.read() == Data("two".utf8))
  }

  @Test("Persisting is refused if two migrations start from one version")
  func migrations() throws {
    let twice = [Migration(fromJSONOfVersion: 1) { $0 }, Migration(fromJSONOfVersion: 1) { $0 }]
    #expect(throws: PersistenceError.self) {
      try store.persist(\.self, in: storage, version: 2, migrations: twice)
    }
  }
}
