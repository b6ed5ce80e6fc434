import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Testing

@Suite("A save that fails")
struct FailedSaveTests {
  let folder = Folder()
  let files = FaultyFiles()
  var storage: FileStorage { FileStorage(path: folder.file().path(percentEncoded: false), files: files) }
  private var onDisk: [String]? { (try? storage.load(Library.self))?.books }

  /// A store whose first state is in the file, and the number of operations that replace a file.
  private func saved() throws -> (store: LibraryStore, persistence: Persistence, length: Int) {
    let store = LibraryStore(Library(books: ["first"]))
    let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
    try persistence.save()
    return (store, persistence, try operations { try storage.write(storage.read() ?? Data()) })
  }

  @Test(
    "A save after a failed one assumes nothing of what that one left on the disk", arguments: FaultyFiles.Fault.allCases
  )
  func anywhere(_ fault: FaultyFiles.Fault) throws {
    var failures = 0
    for operation in 0..<16 {
      try? FileManager.default.removeItem(at: folder.url)
      let store = LibraryStore(Library(books: ["first"]))
      let persistence = try store.persist(\.self, in: storage, saving: .onDemand)
      defer { persistence.stop() }
      try persistence.save()
      store.receive(.append("refused", to: \.books))
      files.fail(at: operation, fault)
      let isRefused = (try? persistence.save()) == nil
      files.heal()
      if !isRefused { continue }
      failures += 1
      // Takes the change back, as a program does that could not save it.
      store.receive(.set(\.books, to: ["first"]))
      try persistence.save()
      #expect(onDisk == ["first"], "operation \(operation)")
      #expect(folder.names.filter { $0.hasSuffix(".new") } == [], "operation \(operation)")
    }
    #expect(failures > 4)
  }

  @Test("Saving the same state again after a failed save writes the file again")
  func again() throws {
    let (store, persistence, length) = try saved()
    store.receive(.append("second", to: \.books))
    // The last operation concerns the directory, in which the file then has its new name. Keeping the previous version
    // takes three more operations.
    files.fail(at: length + 2, .before)
    #expect(throws: PersistenceError.self) { try persistence.save() }
    files.heal()
    #expect(try operations { try persistence.save() } > 0)
    #expect(onDisk == ["first", "second"])
  }

  @Test("Saving the same state again after two failed saves writes the file again")
  func againAndAgain() throws {
    let (store, persistence, length) = try saved()
    store.receive(.append("second", to: \.books))
    // The last operation each time.
    for operation in [length + 2, length - 1] {
      files.fail(at: operation, .before)
      #expect(throws: PersistenceError.self) { try persistence.save() }
    }
    files.heal()
    #expect(try operations { try persistence.save() } > 0)
    #expect(onDisk == ["first", "second"])
  }

  @Test("A later save accepts the file that a failed save left as the store's own")
  func otherStateAfterIt() throws {
    let (store, persistence, length) = try saved()
    // The second state comes into the file, and the third does not.
    for (book, operation) in [("second", length + 2), ("third", 0)] {
      store.receive(.append(book, to: \.books))
      files.fail(at: operation, .before)
      #expect(throws: PersistenceError.self) { try persistence.save() }
    }
    files.heal()
    store.receive(.append("fourth", to: \.books))
    try persistence.save()
    #expect(onDisk == ["first", "second", "third", "fourth"])
  }

  @Test("Repeating a failed save leaves the previous version as it was")
  func previous() throws {
    let (store, persistence, length) = try saved()
    let first = try storage.read()
    store.receive(.append("second", to: \.books))
    files.fail(at: length + 2, .before)
    #expect(throws: PersistenceError.self) { try persistence.save() }
    files.heal()
    try persistence.save()
    #expect(onDisk == ["first", "second"])
    #expect(try storage.readPrevious() == first)
  }

  @Test("A save that fails never leaves one version under both names", arguments: FaultyFiles.Fault.allCases)
  func twoVersions(fault: FaultyFiles.Fault) throws {
    let (store, persistence, length) = try saved()
    store.receive(.append("second", to: \.books))
    try persistence.save()
    for operation in 0..<(length + 3) {
      let (file, previous) = (try storage.read(), try storage.readPrevious())
      store.receive(.append("\(operation)", to: \.books))
      files.fail(at: operation, fault)
      _ = try? persistence.save()
      files.heal()
      let (newFile, newPrevious) = (try storage.read(), try storage.readPrevious())
      #expect(newFile != newPrevious && newPrevious != nil, "operation \(operation)")
      if newFile == file { #expect(newPrevious == previous, "operation \(operation)") }
      try persistence.save()
      #expect(try storage.readPrevious() != storage.read(), "operation \(operation)")
    }
  }

  @Test("A write that fails never loses a damaged file", arguments: FaultyFiles.Fault.allCases)
  func damagedFile(fault: FaultyFiles.Fault) throws {
    var isWritten = false
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    for operation in 0..<9 {
      let damage = Data("damage \(operation)".utf8)
      try damage.write(to: folder.file())
      files.fail(at: operation, fault)
      isWritten = (try? storage.replaceDamaged(Data("new".utf8))) != nil
      files.heal()
      let contents = try folder.names.filter { !$0.hasSuffix(".owner") }.map { try Data(contentsOf: folder.file($0)) }
      #expect(contents.contains(damage), "operation \(operation)")
    }
    #expect(isWritten, "the last fault comes after all operations")
  }

  @Test("A failed save is reported, and its state is saved at the latest when the store ends")
  func reported() async throws {
    let store = LibraryStore(Library(books: ["first"]))
    let (failures, failure) = AsyncStream.makeStream(of: PersistenceError.Code.self)
    try store.persist(\.self, in: storage, saving: .immediate, retry: .constant(.zero)) { error in
      failure.yield(error.code)
      return .set { $0.problem = "full" }
    }
    files.fail(at: 1, .between)
    store.receive(.append("second", to: \.books))
    var codes = failures.makeAsyncIterator()
    #expect(await codes.next() == .notWritable)
    store.deactivate()
    #expect(onDisk == ["first", "second"])
    #expect(folder.names.filter { $0.hasSuffix(".new") } == [])
  }

  @Test(
    "A failed save waits as long as its retry schedule says, whatever changes meanwhile", .simulated(),
    arguments: [SavingSchedule.immediate, .debounce(for: .milliseconds(1)), .throttle(for: .milliseconds(1))])
  func backsOff(_ schedule: SavingSchedule) async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Library(), env: ())
    let storage = MemoryStorage(failures: 6)
    try store.persist(
      \.self, in: storage, saving: schedule, retry: .exponential(first: .seconds(1))
    ) { _ in .set { $0.problem = ($0.problem ?? "") + "full " } }
    store.receive(.append("one", to: \.books))
    // Six failures, and delays of 1, 2, 4, 8, 16 and 32 seconds.
    for second in 1...62 {
      await simulation.clock.advance(by: .seconds(1))
      store.receive(.append("\(second)", to: \.books))
    }
    #expect(storage.failures == 6 && storage.writes.isEmpty)
    await simulation.clock.advance(by: .seconds(1) + .milliseconds(20))
    #expect(try storage.value(Library.self)?.books.count == 63)
    store.deactivate()
  }

  private func operations(_ body: () throws -> Void) rethrows -> Int {
    let before = files.operations
    try body()
    return files.operations - before
  }
}
