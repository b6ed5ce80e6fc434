import Foundation
import Testing

@testable import AsyncStorePersistence

@Suite("A file storage")
struct FileStorageTests {
  let folder = Folder()

  @Test("A file storage is empty at first, and then has the last version and the previous one")
  func versions() throws {
    let storage = FileStorage(folder.file())
    #expect(try storage.read() == nil)
    #expect(try storage.readPrevious() == nil)
    for number in 1...4 {
      try storage.write(Data("\(number)".utf8))
      #expect(try storage.read() == Data("\(number)".utf8))
      #expect(try storage.readPrevious() == (number == 1 ? nil : Data("\(number - 1)".utf8)))
    }
    #expect(folder.names == ["state.json", "state.json.previous"])
  }

  @Test("Locking a file storage makes its file durable, even if the process that wrote it ended early")
  func renamedByAnother() throws {
    let disk = Disk(hasLinks: true)
    disk.create("/new", Data("one".utf8), like: "/state")
    try disk.rename("/new", to: "/state")
    let lock = try FileStorage(path: "/state", files: disk).lock()
    defer { lock.unlock() }
    #expect(disk.remains(afterFailureAt: disk.steps).allSatisfy { $0.contents["/state"] == "one" })
  }

  @Test("Restoring the previous version of a file keeps the damaged one")
  func restoring() throws {
    let store = LibraryStore()
    let storage = FileStorage(folder.file())
    #expect(try !storage.restorePrevious())
    let persistence = try store.persist(\.self, in: storage)
    for book in ["one", "two"] {
      store.receive(.append(book, to: \.books))
      try persistence.save()
    }
    persistence.stop()
    try Data("damage".utf8).write(to: folder.file())
    let other = LibraryStore()
    #expect(throws: PersistenceError.self) { try other.persist(\.self, in: storage) }
    #expect(try storage.restorePrevious())
    try other.persist(\.self, in: storage)
    #expect(other.books == ["one"])
    #expect(try Data(contentsOf: folder.file("state.json.damaged1")) == Data("damage".utf8))
  }

  @Test("An error of a file storage says what failed, and names the path")
  func errors() throws {
    try FileManager.default.createDirectory(at: folder.file(), withIntermediateDirectories: true)
    let storage = FileStorage(folder.file())
    for (code, body) in [
      (PersistenceError.Code.notReadable, { _ = try storage.read() }),
      (.notWritable, { try storage.write(Data()) }),
    ] {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == code)
      #expect(error?.description.contains(storage.name) == true)
    }
  }

  @Test("A file storage traps for a URL that is not a file URL")
  func noFile() async {
    await #expect(processExitsWith: .failure) {
      _ = FileStorage(URL(string: "https://example.org/state.json")!)
    }
  }

  @Test("A file storage keeps both versions where a file can have only one name")
  func oneName() throws {
    let disk = Disk(hasLinks: false)
    let storage = FileStorage(path: "/state", files: disk)
    for number in 1...3 { try storage.write(Data("\(number)".utf8)) }
    #expect(try storage.read() == Data("3".utf8))
    #expect(try storage.readPrevious() == Data("2".utf8))
  }

  @Test("A file storage keeps acknowledged data whenever the power fails", arguments: [true, false])
  func powerFailure(hasLinks: Bool) throws {
    let disk = Disk(hasLinks: hasLinks)
    let storage = FileStorage(path: "/state", files: disk)
    var acknowledged: [Int: Int] = [:]
    for number in 1...4 {
      try storage.write(Data("\(number)".utf8))
      acknowledged[disk.steps] = number
    }
    var last = 0
    for step in 0...disk.steps {
      last = acknowledged[step] ?? last
      for remains in disk.remains(afterFailureAt: step) {
        let found = try FileStorage(path: "/state", files: remains).read()
        let number = found.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        #expect(number == last || number == last + 1, "step \(step) left \(remains.contents)")
        // The next save succeeds, whatever was left.
        try FileStorage(path: "/state", files: remains).write(Data("9".utf8))
        #expect(try FileStorage(path: "/state", files: remains).read() == Data("9".utf8))
      }
    }
  }
}
