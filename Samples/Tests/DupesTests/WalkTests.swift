import AsyncStoreTesting
import Testing

@testable import Dupes

@Suite("The walk through the folders")
struct WalkTests {
  @Test("The walk visits folders at any depth")
  func depth() async throws {
    try await simulate { simulation in
      let deep = "/" + (1...100).map { "\($0)" }.joined(separator: "/")
      let search = await simulation.search(FakeFileSystem(["\(deep)/a": "text", "/b": "text"]))
      #expect(search.duplicates == [["\(deep)/a", "/b"]])
      #expect(search.progress.folders == 101)
    }
  }

  @Test("The walk does not follow symbolic links, and reports one that was asked for")
  func symbolicLinks() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text"])
      files.change { $0.addSymbolicLink("/link") }
      #expect(await simulation.search(files).problems == [])
      #expect(
        await simulation.search(files, ["/link"]).problems
          == ["/link: is a symbolic link, and those are not followed"])
    }
  }

  @Test("The walk does not open pipes, which have no contents")
  func pipes() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text"])
      files.change { $0.addPipe("/pipe") }
      #expect(await simulation.search(files, ["/", "/pipe"]).problems == [])
      #expect(files.attempts(at: "/pipe") == 1)
    }
  }

  @Test("The walk treats hard links as one file, under the first of their names")
  func hardLinks() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/b": "text", "/d": "text"])
      files.change { $0.addLink("/c", to: "/b") }
      files.change { $0.addLink("/a", to: "/b") }
      let search = await simulation.search(files)
      #expect(search.duplicates == [["/a", "/d"]])
      #expect(search.progress.found == .init(files: 2, bytes: 8))
    }
  }

  @Test("The walk visits nothing twice when the given paths overlap")
  func overlap() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a/b/c": "text"])
      let search = await simulation.search(files, ["/a/b", "/a", "/a/b/c", "/a"])
      #expect(search.progress.folders == 2)
      #expect(search.progress.found.files == 1)
    }
  }

  @Test("The walk crosses to other devices unless it is limited to one file system")
  func devices() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text", "/mounted/b": "text", "/mounted/c": "text"])
      files.change { $0.mount("/mounted", device: 2) }
      #expect(await simulation.search(files).duplicates == [["/a", "/mounted/b", "/mounted/c"]])
      var options = SearchOptions.small
      options.isOneFileSystem = true
      #expect(await simulation.search(files, ["/"], options).progress.found.files == 1)
      #expect(await simulation.search(files, ["/mounted"], options).duplicates == [["/mounted/b", "/mounted/c"]])
    }
  }

  @Test("The walk leaves out files that are too small")
  func minimumSize() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "", "/b": "", "/c": "12", "/d": "12", "/e": "123", "/f": "123"])
      #expect(await simulation.search(files).duplicates == [["/e", "/f"], ["/c", "/d"]])
      var options = SearchOptions.small
      options.minimumSize = 3
      #expect(await simulation.search(files, ["/"], options).duplicates == [["/e", "/f"]])
      options.minimumSize = 0
      #expect(await simulation.search(files, ["/"], options).duplicates.count == 3)
    }
  }

  @Test("The walk reports a path that does not exist")
  func missing() async throws {
    try await simulate { simulation in
      let search = await simulation.search(FakeFileSystem(["/a": "text"]), ["/a", "/b"])
      #expect(search.problems == ["/b: No such file or directory"])
      #expect(search.progress.phase == .finished)
    }
  }
}
