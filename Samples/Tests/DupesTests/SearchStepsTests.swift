import AsyncStoreTesting
import Testing

@testable import Dupes

/// Everything that the store does is asserted here: each commit, each operation, and when.
@Suite("The steps of a search")
struct SearchStepsTests {
  @Test("A search compares sizes, beginnings and contents in turn, and reads only what may still be equal")
  func stages() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/p/a": "same", "/p/b": "same", "/p/c": "longer", "/p/d": "else"])
      let (folder, a, b) = try await (files.folder("/p"), files.file("/p/a"), files.file("/p/b"))
      let (c, d) = try await (files.file("/p/c"), files.file("/p/d"))
      let store = simulation.testStore(Search(), env: files.fileSystem)

      store.receive(.search(["/p"], .small))
      store.expect(.begun("visit"))
      await simulation.settle()

      store.expect { $0.walk.add(folder) }
      store.expect { _ = $0.walk.takeUnvisited() }
      store.expect(.begun("list"))
      store.expect {
        $0.progress.folders = 1
        $0.progress.found = .init(files: 4, bytes: 18)
        for file in [a, b, c, d] { _ = $0.walk.add(file) }
      }

      // No other file is as long as c: it is never read.
      store.expect { _ = $0.walk.takeFiles() }
      store.expect(.begun("compare"))
      store.expect {
        $0.progress.begin(.comparingBeginnings, toRead: .init(files: 3, bytes: 6))
      }
      for (file, beginning) in [(a, "sa"), (b, "sa"), (d, "el")] {
        store.expect { $0.progress.begin(file.identity) }
        store.expect(.begun("read"), .settled("read"))
        store.expect {
          $0.progress.advance(file.identity, by: 2)
          $0.progress.settle(file.identity, of: 2)
          $0.sieve.add(file, Digest(of: Array(beginning.utf8)))
        }
      }

      // Nor is the rest of d.
      store.expect { _ = $0.takeSieve() }
      store.expect(.begun("compare"))
      store.expect {
        $0.progress.begin(.comparingContents, toRead: .init(files: 2, bytes: 8))
      }
      for file in [a, b] {
        store.expect { $0.progress.begin(file.identity) }
        store.expect(.begun("read"), .settled("read"))
        store.expect { $0.progress.advance(file.identity, by: 2) }
        store.expect(.begun("read"), .settled("read"))
        store.expect {
          $0.progress.advance(file.identity, by: 2)
          $0.progress.settle(file.identity, of: 4)
          $0.sieve.add(file, Digest(of: Array("same".utf8)))
        }
      }

      store.expect { _ = $0.takeSieve() }
      store.expect(.begun("compare"))
      store.expect {
        $0.groups = [DuplicateGroup(size: 4, digest: Digest(of: Array("same".utf8)), paths: ["/p/a", "/p/b"])]
        $0.progress.begin(.finished, toRead: .init())
      }
      #expect(files.bytesRead == 14)
    }
  }

  @Test("A search retries after a transient error, with delays of 100, 200 and 400 ms")
  func retries() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text", "/b": "text"])
      files.fail("/a", with: .ioError, .resourceBusy, .ioError)
      // Only the retries are asserted on.
      let store = simulation.testStore(Search(), env: files.fileSystem, exhaustivity: .off)

      store.receive(.search(["/a", "/b"], .small))
      await simulation.settle()
      store.expect(.begun("visit"), .settled("visit"), at: .zero)
      await store.expect(.begun("visit"), after: .milliseconds(100))
      store.expect(.settled("visit"), at: .milliseconds(100))
      await store.expect(.begun("visit"), after: .milliseconds(200))
      store.expect(.settled("visit"), at: .milliseconds(300))
      await store.expect(.begun("visit"), after: .milliseconds(400))
      await simulation.settle()
      #expect(store.state.duplicates == [["/a", "/b"]])
      #expect(store.state.problems == [])
      #expect(simulation.clock.now.offset == .milliseconds(700))
    }
  }

  @Test("A search reads a file from its first slice again when a later one fails, and counts no byte twice")
  func retriedSlices() async throws {
    try await simulate { simulation in
      let slow = simulation.faults(latency: .milliseconds(1) ... .milliseconds(1))
      let files = FakeFileSystem(["/a": "12345678", "/b": "12345678"], faults: slow)
      // The look at the name, the beginning and the first slice go well.
      files.fail("/a", with: nil, nil, nil, .ioError)
      let store = simulation.store(Search(), env: files.fileSystem)
      let search = store.receive(.search(["/a", "/b"], .small))

      let expected = [5: 2, 6: 2, 105: 2, 106: 0, 107: 2, 108: 4, 109: 6, 110: 8, 111: 10, 113: 14]
      for (time, bytes) in expected.sorted(by: { $0.key < $1.key }) {
        await simulation.clock.advance(to: .init(offset: .milliseconds(time)))
        #expect(store.progress.done.bytes == bytes, "after \(time) ms")
      }
      #expect(await search.outcome.isFinished)
      #expect(store.state.duplicates == [["/a", "/b"]])
      #expect(store.progress.bytesRead == 4 + 2 + 16)
    }
  }

  @Test("A search gives up a file that always fails, and continues without it")
  func givesUp() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text", "/b": "text", "/c": "text"])
      files.give(simulation.faults(failures: 1), to: "/b")
      let search = await simulation.search(files)
      #expect(search.duplicates == [["/a", "/c"]])
      #expect(search.problems == ["/b: Input/output error"])
      #expect(files.attempts(at: "/b") == 4)
      #expect(simulation.clock.now.offset == .milliseconds(700))
    }
  }

  @Test("A search does not retry after a permanent error")
  func permanent() async throws {
    try await simulate { simulation in
      let files = FakeFileSystem(["/a": "text", "/b": "text", "/folder/c": "text"])
      files.fail("/b", with: .permissionDenied)
      files.fail("/folder", with: .permissionDenied)
      let search = await simulation.search(files)
      #expect(search.problems == ["/b: Permission denied", "/folder: Permission denied"])
      #expect(search.duplicates == [])
      #expect(search.progress.problems == 2)
      #expect(simulation.clock.now.offset == .zero)
    }
  }
}
