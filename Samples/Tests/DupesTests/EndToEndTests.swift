import Foundation
import SystemPackage
import Testing

@testable import Dupes

/// Runs on real files, in real time, and so checks what the made-up file system assumes.
@Suite("The program on a real folder", .timeLimit(.minutes(10)))
final class EndToEndTests {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "dupes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var path: FilePath { FilePath(folder.path()) }

  private func write(_ data: Data, to name: String) throws {
    let url = folder.appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  private func run(_ options: SearchOptions = SearchOptions()) async -> Conclusion {
    let display = MeterDisplay(style: .lines, columns: { 80 }, write: { _ in })
    let session = Session(fileSystem: .system, display: display, executor: BlockingExecutor())
    return await session.run([path], options, interruptedBy: AsyncStream { _ in })
  }

  private func names(_ conclusion: Conclusion) -> [[String]] {
    conclusion.search.groups.map { group in group.paths.map { String($0.string.dropFirst(path.string.count + 1)) } }
  }

  @Test("The program finds equal files, even of several slices, and nothing else")
  func duplicates() async throws {
    // Two slices and a bit.
    var long = Data(repeating: 7, count: 2 << 20)
    long.append(1)
    var other = long
    other[other.count - 1] = 2
    try write(long, to: "long")
    try write(long, to: "deep/er/long")
    try write(other, to: "long but another")
    try write(Data("short".utf8), to: "short")
    try write(Data("short".utf8), to: "deep/short")
    try write(Data("shirt".utf8), to: "shirt")
    try write(Data(), to: "empty")
    try write(Data(), to: "empty too")
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "symbolic link"), withDestinationURL: folder.appending(path: "shirt"))
    try FileManager.default.linkItem(
      at: folder.appending(path: "shirt"), to: folder.appending(path: "hard link"))

    let conclusion = await run()
    #expect(names(conclusion) == [["deep/er/long", "long"], ["deep/short", "short"]])
    #expect(conclusion.exitCode == 0)
    #expect(conclusion.search.progress.found.files == 6)
    #expect(conclusion.search.progress.folders == 3)
  }

  @Test("The program finds duplicates among files whose names are not valid UTF-8")
  func bytes() async throws {
    for byte in [0xFE, 0xFF] as [CInterop.PlatformUnicodeEncoding.CodeUnit] {
      let name = [byte, 0].withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CInterop.PlatformChar.self) { FilePath.Component(platformString: $0.baseAddress!) }
      }
      guard let name,
        let file = try? FileDescriptor.open(
          path.appending(name), .writeOnly, options: [.create], permissions: .ownerReadWrite)
      else { continue }  // Not every file system takes such names.
      try file.closeAfter { _ = try file.writeAll("text".utf8) }
    }
    let conclusion = await run()
    #expect(conclusion.search.problems == [])
    #expect(conclusion.search.groups.map(\.paths.count) == (conclusion.search.progress.found.files == 2 ? [2] : []))
  }

  @Test("A read fails if the file has changed since it was found")
  func changed() async throws {
    try write(Data("text".utf8), to: "a")
    guard case .file(let file) = try await FileSystem.system.entry(path.appending("a")) else {
      throw FileError(path, .other("no file"))
    }
    #expect(try await FileSystem.system.read(file, 1, 100) == Array("ext".utf8))
    try write(Data("longer".utf8), to: "a")
    let error = await #expect(throws: FileError.self) { try await FileSystem.system.read(file, 0, 100) }
    #expect(error?.cause == .changed)
  }

  @Test("A read fails if the file changes during it")
  func changedMeanwhile() async throws {
    try write(Data("text".utf8), to: "a")
    guard case .file(let file) = try await FileSystem.system.entry(path.appending("a")) else {
      throw FileError(path, .other("no file"))
    }
    let descriptor = try FileDescriptor.open(file.path, .readOnly)
    try descriptor.closeAfter {
      let result = try file.whileUnchanged(descriptor) { 1 }
      #expect(result == 1)
      let error = #expect(throws: FileError.self) {
        try file.whileUnchanged(descriptor) {
          // In place: the open file is the one that changes.
          let writer = try FileDescriptor.open(file.path, .writeOnly)
          try writer.closeAfter { _ = try writer.writeAll("longer".utf8) }
        }
      }
      #expect(error?.cause == .changed)
    }
  }

  @Test("The file system passes on the system's errors")
  func errors() async throws {
    let missing = path.appending("missing")
    let error = await #expect(throws: FileError.self) { try await FileSystem.system.entry(missing) }
    #expect(error == FileError(missing, .system(.noSuchFileOrDirectory)))
  }
}
