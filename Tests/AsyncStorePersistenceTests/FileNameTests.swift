import AsyncStorePersistence
import Foundation
import Testing

/// Tests of names of files, which are bytes.
///
/// Swift's strings are equal if they are canonically equivalent, and a combining mark makes one character with the text
/// before it.
@Suite("The name of a file")
struct FileNameTests {
  static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
  let folder: Folder

  init() throws { folder = try Self.folder() }

  private static func folder() throws -> Folder {
    let folder = Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    return folder
  }

  private func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: folder.file(name)) }

  /// True if the file system distinguishes two spellings of one name.
  ///
  /// Some file systems do not.
  static let areSpellingsDifferent: Bool = {
    guard let folder = try? folder() else { return false }
    try? Data().write(to: folder.file(decomposed))
    return !FileManager.default.fileExists(atPath: folder.file(composed).path(percentEncoded: false))
  }()

  @Test("A file name may begin with a combining mark")
  func combiningMark() throws {
    let storage = FileStorage(folder.file("\u{301}state"))
    for text in ["one", "two"] { try storage.write(Data(text.utf8)) }
    #expect(try storage.read() == Data("two".utf8))
    #expect(try storage.readPrevious() == Data("one".utf8))
    try FileManager.default.removeItem(at: folder.file("\u{301}state"))
    let error = #expect(throws: PersistenceError.self) { try storage.read() }
    #expect(error?.code == .missing)
    _ = try storage.lock()
  }

  @Test("The destination of a symbolic link may begin with a combining mark")
  func link() throws {
    let link = folder.file("link").path(percentEncoded: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/\u{301}nothing/state")
    #expect(try SystemFiles().resolve(link) == "/\u{301}nothing/state")
  }

  @Test("Locking a file leaves the temporary file of another spelling of its name alone")
  func temporary() throws {
    try write("x", to: "\(Self.composed).0123456789abcdef.new")
    try write("x", to: "\(Self.decomposed).0123456789abcdef.new")
    let lock = try FileStorage(folder.file(Self.decomposed)).lock()
    defer { lock.unlock() }
    let left = folder.names.filter { $0.utf8.elementsEqual("\(Self.composed).0123456789abcdef.new".utf8) }
    #expect(left.count == (Self.areSpellingsDifferent ? 1 : 0))
  }

  @Test("Two spellings of a file name have separate previous versions", .enabled(if: areSpellingsDifferent))
  func previous() throws {
    let storage = FileStorage(folder.file(Self.decomposed))
    for text in ["one", "two"] { try storage.write(Data(text.utf8)) }
    #expect(try FileStorage(folder.file(Self.composed)).read() == nil)
  }

  @Test("Two spellings of a file name can hold two parts of a store", .enabled(if: areSpellingsDifferent))
  func parts() throws {
    let store = LibraryStore()
    try store.persist(\.books, in: FileStorage(folder.file(Self.composed)))
    try store.persist(\.shelf, in: FileStorage(folder.file(Self.decomposed)))
  }

  @Test("A file name with a NUL is refused, and the file named by the text before it is left alone")
  func nul() throws {
    try write("precious", to: "victim")
    let storage = FileStorage(try #require(URL(string: folder.file("victim").absoluteString + "%00.state")))
    let uses: [() throws -> Void] = [
      { _ = try storage.read() }, { _ = try storage.readPrevious() }, { _ = try storage.exists },
      { try storage.write(Data()) }, { try storage.replaceDamaged(Data()) }, { try storage.restorePrevious() },
      { try LibraryStore().persist(\.self, in: storage) },
    ]
    for use in uses {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.description.contains("NUL") == true)
    }
    #expect(folder.names == ["victim"])
    #expect(try Data(contentsOf: folder.file("victim")) == Data("precious".utf8))
  }

  @Test(
    "The name of a folder is refused as a file name, and nothing in the folder changes",
    arguments: ["", "in/", "in/.", "in/.."])
  func folderName(_ name: String) throws {
    try FileManager.default.createDirectory(at: folder.file("in"), withIntermediateDirectories: true)
    for name in [".owner", ".0123456789abcdef.new"] { try write("precious", to: "in/" + name) }
    let path = folder.url.path(percentEncoded: false)
    let storage = FileStorage(path: (path.hasSuffix("/") ? path : path + "/") + name, files: SystemFiles())
    let uses: [() throws -> Void] = [
      { _ = try storage.read() }, { try storage.write(Data()) }, { _ = try storage.lock() },
      { try LibraryStore().persist(\.self, in: storage) },
    ]
    for use in uses {
      let error = #expect(throws: PersistenceError.self) { try use() }
      #expect(error?.description.contains("folder") == true)
    }
    #expect(folder.names == ["in"])
    for name in [".owner", ".0123456789abcdef.new"] {
      #expect(try Data(contentsOf: folder.file("in/" + name)) == Data("precious".utf8))
    }
  }

  @Test("A reserved suffix is refused as a whole file name", arguments: [".owner", ".previous", ".damaged1"])
  func suffixAlone(_ name: String) throws {
    let error = #expect(throws: PersistenceError.self) {
      try LibraryStore().persist(\.self, in: FileStorage(folder.file(name)))
    }
    #expect(error?.code == .notWritable)
    #expect(folder.names == [])
  }

  @Test("A file name is refused when saving begins if the names of the files beside it are too long")
  func tooLong() throws {
    let (short, long) = (String(repeating: "n", count: 234), String(repeating: "n", count: 235))
    let error = #expect(throws: PersistenceError.self) {
      try LibraryStore().persist(\.self, in: FileStorage(folder.file(long)))
    }
    #expect(error?.code == .notWritable)
    #expect(folder.names == [])
    try LibraryStore().persist(\.self, in: FileStorage(folder.file(short))).save()
  }

  @Test("A file storage tells whether its file exists without reading it")
  func exists() throws {
    let storage = FileStorage(folder.file(), limit: 2)
    #expect(try !storage.exists)
    try write("longer", to: "state.json")
    #expect(try storage.exists)
    try FileManager.default.removeItem(at: folder.file())
    try write("before", to: "state.json.previous")
    let error = #expect(throws: PersistenceError.self) { try storage.exists }
    #expect(error?.code == .missing)
  }
}
