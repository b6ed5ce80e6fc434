import AsyncStorePersistence
import Foundation
import SavedCounter
import Testing

@Suite("Processes that save to one file")
struct ProcessTests {
  let folder = Folder()
  var storage: FileStorage { FileStorage(folder.file()) }

  @Test("A second process that saves to a file is refused, and told which process owns the file")
  func second() throws {
    let store = AsyncStore(state: SavedCounter(), env: ())
    try store.persist(\.self, in: storage)
    let refused = try SavingProgram(saving: folder.file(), rounds: 1)
    #expect(!refused.isSuccess)
    #expect(refused.output == [])
    #expect(refused.errors.contains("process \(ProcessInfo.processInfo.processIdentifier) on "))
    store.deactivate()
    #expect(try SavingProgram(saving: folder.file(), rounds: 3).output == ["1", "2", "3"])
    #expect(!folder.names.contains { $0.hasSuffix(".new") })
  }

  @Test("Processes that save to one file lose none of each other's saves, however many there are")
  func many() async throws {
    let file = folder.file()
    let saved = try await withThrowingTaskGroup { group in
      for _ in 0..<Nightly.count(40, otherwise: 6) {
        group.addTask { try SavingProgram(saving: file, rounds: 5).output.count }
      }
      return try await group.reduce(0, +)
    }
    #expect(try storage.load(SavedCounter.self)?.number == saved)
    #expect(try storage.load(SavedCounter.self)?.isWhole == true)
  }

  private static let strace = "/usr/bin/strace"
  private static let isTraced = Nightly.isOn && FileManager.default.isExecutableFile(atPath: strace)

  @Test("A process that saves into new folders has their names on the disk", .enabled(if: isTraced))
  func newFolders() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let trace = folder.file("trace")
    let program = try SavingProgram(
      saving: folder.file("new/newer/state.json"), rounds: 1,
      wrapper: [Self.strace, "-f", "-y", "-e", "trace=fsync", "-o", trace.path(percentEncoded: false)])
    #expect(program.output == ["1"])
    let text = try String(contentsOf: trace, encoding: .utf8)
    for name in ["", "/new", "/new/newer"] {
      #expect(text.contains("\(folder.url.lastPathComponent)\(name)>"), "\(name)")
    }
  }

  @Test(
    "A process keeps exactly what it confirms when a system call fails", .enabled(if: isTraced),
    arguments: ["fsync", "/^rename", "/^link", "write", "openat", "/^unlink", "fchmod"], ["EIO", "ENOSPC", "EINTR"])
  func systemCalls(_ call: String, _ error: String) throws {
    var effects = 0
    // A process first opens its libraries.
    for number in 1...(call == "openat" ? 120 : 12) {
      try? FileManager.default.removeItem(at: folder.url)
      _ = try SavingProgram(saving: folder.file(), rounds: 2)
      let inject = "inject=\(call):error=\(error):when=\(number)"
      let program = try SavingProgram(
        saving: folder.file(), rounds: 2,
        wrapper: [Self.strace, "-f", "-qq", "-o", "/dev/null", "-e", inject])
      if program.output != ["3", "4"] { effects += 1 }
      let confirmed = program.output.last.flatMap { Int($0) } ?? 2
      let counter = try storage.load(SavedCounter.self)
      #expect(counter?.isWhole == true)
      let kept = try #require(counter?.number)
      #expect(kept == confirmed || (!program.isSuccess && kept == confirmed + 1), "\(inject): \(program.errors)")
    }
    // An interrupted call is repeated, and a name that can't be removed causes no failure.
    if error == "EIO" { #expect(effects > 0 || call.hasSuffix("unlink"), "\(call)") }
  }
}
