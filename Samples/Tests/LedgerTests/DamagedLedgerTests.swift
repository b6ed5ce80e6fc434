import AsyncStorePersistence
import Foundation
import Testing

@testable import Ledger

@Suite("A damaged ledger file")
struct DamagedLedgerTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test("A ledger file loses nothing that was kept, wherever a crash has cut off its last line")
  func torn() throws {
    try folder.change(seed: 1)
    let whole = try folder.read("ledger.books")
    let books = try folder.ledger.books()
    try folder.ledger.post(.spending(5))
    let longer = try folder.read("ledger.books")
    // A line of which only the line break is missing is a whole line; see the next test.
    for length in whole.count + 1..<longer.count - 1 {
      try folder.write(longer.prefix(length), to: "ledger.books")
      #expect(try folder.ledger.books().journal == books.journal)
      #expect(try folder.read("ledger.books").count == length)
      try folder.ledger.post(.spending(6))
      #expect(try folder.ledger.books().journal.postings.last?.description == "6 cents")
      #expect(try folder.read("ledger.books").starts(with: whole))
      #expect(try folder.read("ledger.books.torn") == longer[whole.count..<length])
    }
  }

  @Test("A ledger file keeps its last line if only the line break is missing, and gets the line break back")
  func missingLineBreak() throws {
    try folder.change(seed: 1)
    try folder.ledger.post(.spending(5))
    let good = try folder.read("ledger.books")
    try folder.write(good.dropLast(), to: "ledger.books")
    #expect(try folder.ledger.books().journal.postings.last?.description == "5 cents")
    #expect(try folder.read("ledger.books") == good.dropLast())
    try folder.ledger.post(.spending(6))
    #expect(try folder.read("ledger.books").starts(with: good))
    #expect(try folder.ledger.books().journal.postings.suffix(2).map(\.description) == ["5 cents", "6 cents"])
    #expect(try folder.names == ["ledger.books"])
  }

  @Test("Readers and writers refuse a ledger file with a changed bit, and leave it as it is")
  func flipped() throws {
    try folder.change(seed: 2, changes: 6)
    let good = try folder.read("ledger.books")
    for place in good.indices {
      var bad = good
      bad[place] ^= 1 << UInt8(place % 8)
      try folder.write(bad, to: "ledger.books")
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.books() }
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.post(.spending(1)) }
      #expect(throws: PersistenceError.self, "byte \(place)") { try folder.ledger.change { _ in } }
      #expect(try folder.read("ledger.books") == bad)
    }
  }

  @Test("A failed change leaves nothing in a ledger file, or its error says that it can't be taken back")
  func unsafe() throws {
    try folder.ledger.post(.spending(1))
    let good = try folder.read("ledger.books")
    let storage = FileStorage(folder.url.appending(path: "ledger.books"))
    let lines = try BooksLines([UInt8](good), file: "ledger.books")
    let change = KeptChange(change: try .post(2), position: Journal.Position())
    for faults in [[.write], [.synchronize], [.synchronize, .truncate]] as [[FaultyFile.Operation]] {
      let file = BooksFile(storage, path: folder["ledger.books"]) { try FaultyFile(SystemFile($0), faults) }
      try file.goOn(after: lines, settingAside: Data())
      let error = #expect(throws: PersistenceError.self) { try file.append([change]) }
      #expect(error?.code == .notWritable)
      let isLeft = try folder.read("ledger.books") != good
      #expect(isLeft == faults.contains(.truncate))
      #expect(error?.description.contains("can't be taken back") == isLeft)
      // Nothing follows what may be there.
      if isLeft { #expect(throws: PersistenceError.self) { try file.append([change]) } }
    }
  }

  @Test("A failed change is not there after a power cut, or its error says that it may be")
  func takenBack() throws {
    try folder.ledger.post(.spending(1))
    let good = try folder.read("ledger.books")
    let storage = FileStorage(folder.url.appending(path: "ledger.books"))
    let lines = try BooksLines([UInt8](good), file: "ledger.books")
    let change = KeptChange(change: try .post(2), position: Journal.Position())
    for (faults, isUnknown) in [
      ([.writeHalf: 1...1], false), ([.synchronize: 1...1], false), ([.writeHalf: 1...1, .synchronize: 1...1], true),
      ([.synchronize: 1...2], true), ([.write: 1...1, .truncate: 1...1, .synchronize: 1...2], false),
    ] as [([FaultyFile.Operation: ClosedRange<Int>], Bool)] {
      var last: FaultyFile?
      let file = BooksFile(storage, path: folder["ledger.books"]) { path in
        let file = FaultyFile(try SystemFile(path), faults)
        last = file
        return file
      }
      try file.goOn(after: lines, settingAside: Data())
      let error = #expect(throws: PersistenceError.self) { try file.append([change]) }
      #expect(try folder.read("ledger.books") == good, "\(faults)")
      #expect(try #require(last).isUnsafe == isUnknown, "\(faults)")
      #expect(error?.description.contains("The change may be in the ledger, or not") == isUnknown, "\(faults)")
    }
  }

  @Test("A torn line that is set aside is gone after a power cut, or setting it aside fails")
  func setAside() throws {
    try folder.ledger.post(.spending(1))
    let good = try folder.read("ledger.books")
    let storage = FileStorage(folder.url.appending(path: "ledger.books"))
    let lines = try BooksLines([UInt8](good), file: "ledger.books")
    let tail = Data("torn".utf8)
    for isBroken in [false, true] {
      try folder.write(good + tail, to: "ledger.books")
      var last: FaultyFile?
      let file = BooksFile(storage, path: folder["ledger.books"]) { path in
        let file = FaultyFile(try SystemFile(path), isBroken ? [.synchronize] : [])
        last = file
        return file
      }
      let result = Result { try file.goOn(after: lines, settingAside: tail) }
      #expect((result.failure as? PersistenceError)?.code == (isBroken ? .notWritable : nil))
      #expect(try #require(last).isUnsafe == isBroken)
      #expect(try folder.read("ledger.books.torn") == tail)
    }
  }

  private static let strace = "/usr/bin/strace"
  private static let isTraced = TestSize.isNightly && FileManager.default.isExecutableFile(atPath: strace)

  @Test(
    "A failed system call is reported with its reason, and leaves no change unless the error says so",
    .enabled(if: isTraced), arguments: ["fsync", "write", "ftruncate"], [false, true])
  func systemCalls(_ call: String, isTorn: Bool) throws {
    let ledger = try Program(in: folder)
    var failures = 0
    for (number, rest) in (1...8).flatMap({ [($0, ""), ($0, "+")] }) {
      for name in try folder.names { try FileManager.default.removeItem(atPath: folder[name]) }
      try folder.ledger.post(.spending(1))
      let good = try folder.read("ledger.books")
      if isTorn { try folder.write(good + Data("torn".utf8), to: "ledger.books") }
      let inject = "inject=\(call):error=EIO:when=\(number)\(rest)"
      let result = try ledger.shell(
        #"\#(Self.strace) -f -qq -y -o trace -e trace=fsync,ftruncate,write -e \#(inject) "$0" post 2026-01-31 x 'A 1 EUR' B"#
      )
      if result.code == 0 || result.code == 4 {
        #expect(try folder.ledger.books().journal.postingCount == 2, "\(inject)")
        continue
      }
      failures += 1
      // It has no way to say what is wrong.
      if call == "write", !rest.isEmpty { continue }
      #expect(result.complaint.contains("Input/output error"), "\(inject)")
      if result.complaint.contains("The change may be in the ledger, or not") { continue }
      #expect(try folder.ledger.books().journal.postingCount == 1, "\(inject)")
      // Whatever was written to the file, the disk was told last; a torn tail may come back, and is set aside again.
      let trace = try String(contentsOfFile: folder["trace"], encoding: .utf8)
      let calls = trace.split(separator: "\n").filter { $0.contains("ledger.books>") && !$0.contains(" = -1 ") }
      let isWritten = calls.contains { $0.contains("write(") }
      #expect(!isWritten || calls.last?.contains("fsync(") == true, "\(inject): \(calls)")
    }
    #expect(failures > 0 || call == "ftruncate" && !isTorn)
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
