// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/AsyncStorePersistence.docc/AsyncStorePersistence.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

final class MemoryStorage: Storage {
  let name = "memory"
  private let kept = Mutex<Data?>(nil)

  func read() throws -> Data? { kept.withLock { $0 } }
  func write(_ data: Data) throws { kept.withLock { $0 = data } }
}

@Suite("Snippets of Sources/AsyncStorePersistence/AsyncStorePersistence.docc/AsyncStorePersistence.md")
struct AsyncStorePersistenceAsyncStorePersistenceAsyncStorePersistenceSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStorePersistence.md yields what its comments say") func snippet1() throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    let tally = AsyncStore(state: Tally(), env: ())
    let persistence = try tally.persist(\.self, in: file, saving: .debounce(for: .seconds(2)))
    tally.send(.add(3))
    try persistence.save()
    persistence.stop()
    let restored = AsyncStore(state: Tally(), env: ())
    try restored.persist(\.self, in: file)
    #expect(restored.count == 3)
  }

  @Test("Snippet 2 of AsyncStorePersistence.md yields what its comments say") func snippet2() async throws {
    @MainActor func makeTally(_ file: FileStorage) throws -> StoreOf<Tally> {
      let tally = StoreOf<Tally>(state: Tally(), env: (), isolation: MainActor.shared)
      try tally.persist(\.self, in: file)
      return tally
    }

    let file = FileStorage(folder.appending(path: "tally.state"))
    let tally = try await makeTally(file)
    await tally.run(.add(3))
    let error = #expect(throws: PersistenceError.self) { try tally.persist(\.self, in: file) }
    #expect(tally.count == 3)
    #expect(error?.code == .notRestorable)
  }

  @Test("Snippet 3 of AsyncStorePersistence.md yields what its comments say") func snippet3() async throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    try tally.persist(
      \.self, in: file, saving: .debounce(for: .seconds(60)), onFinalFailure: { error in print("Not saved: \(error)") })
    tally.receive(.task { .send(.add(try await fetchCount())) })
    try await tally.shutdown(drain: .seconds(30))
    let saved = try file.load(Tally.self)
    #expect(saved?.count == 3)
  }

  @Test("Snippet 4 of AsyncStorePersistence.md yields what its comments say") func snippet4() throws {
    let file = FileStorage(folder.appending(path: "tally.log"))
    func open() throws -> (tally: StoreOf<Tally>, save: () throws -> Void) {
      let log = AsyncStore(state: ActionLog(initial: Tally(), capacity: 1_000), env: ())
      let persistence = try log.persist(\.self, in: file, saving: .onDemand)
      let tally = StoreOf<Tally>(state: Tally(), env: ())
      try tally.startRecording(continuing: log.state)
      return (
        tally,
        {
          if let now = tally.actionLog { log.receive(.set { $0 = now }) }
          try persistence.save()
        }
      )
    }

    var (tally, save) = try open()
    tally.send(.add(3))
    try save()
    (tally, save) = (StoreOf<Tally>(state: Tally(), env: ()), {})
    (tally, save) = try open()
    #expect(tally.count == 3)
    #expect(tally.actionLog?.changes == [.action(.add(3))])
  }

  @Test("Snippet 5 of AsyncStorePersistence.md yields what its comments say") func snippet5() throws {
    struct Old: Codable, Sendable { var number = 7 }
    let storage = FileStorage(folder.appending(path: "tally.state"))
    try AsyncStore(state: Old(), env: ()).persist(\.self, in: storage).save()
    let tally = AsyncStore(state: Tally(), env: ())
    try tally.persist(
      \.self, in: storage, version: 2, migrations: [Migration(from: 1) { (old: Old) in Tally(count: old.number) }])
    #expect(tally.count == 7)
  }

  @Test("Snippet 7 of AsyncStorePersistence.md yields what its comments say") func snippet7() async throws {
    try await simulate { simulation in
      let storage = MemoryStorage()
      let tally = simulation.store(Tally(), env: ())
      try tally.persist(\.self, in: storage, saving: .debounce(for: .seconds(2)))
      tally.send(.add(3))
      await simulation.clock.advance(by: .milliseconds(1_999))
      #expect(try storage.load(Tally.self) == nil)
      await simulation.clock.advance(by: .milliseconds(1))
      #expect(try storage.load(Tally.self)?.count == 3)
      let restarted = simulation.store(Tally(), env: ())
      try restarted.persist(\.self, in: storage)
      #expect(restarted.count == 3)
    }
  }

  @Test("Snippet 8 of AsyncStorePersistence.md yields what its comments say") func snippet8() async throws {
    struct HostFile: Storage {
      let name: String
      let storage: HostStorage
      func read() throws -> Data? { storage.read(name) }
      func write(_ data: Data) throws {
        storage.write(data, to: name)
        try storage.syncNow()
      }
    }

    try await simulate { simulation in
      let network = SimulatedNetwork<Int>()
      network.host("tally") { host in
        let tally = host.store(Tally(), env: ())
        let file = HostFile(name: "tally.json", storage: host.storage)
        try tally.persist(\.self, in: file, saving: .debounce(for: .seconds(2)))
        for await envelope in host.messages { tally.send(.add(envelope.message)) }
      }
      let client = network.host("client")
      client.send(3, to: "tally")
      await simulation.clock.advance(by: .seconds(4))
      client.send(4, to: "tally")
      await simulation.clock.advance(by: .seconds(1))
      network.restart("tally")
      let file = network["tally"].map { HostFile(name: "tally.json", storage: $0.storage) }
      let kept = try file?.load(Tally.self)
      #expect(kept?.count == 3)
    }
  }

  @Test("Snippet 9 of AsyncStorePersistence.md yields what its comments say") func snippet9() async {
    let tally = AsyncStore(state: Tally(), env: ())
    var diffs = tally.diffs(of: \.self).makeAsyncIterator()
    tally.send(.increment)
    let diff = await diffs.next()
    #expect(diff?.changes == ["count": .changed(old: 0, new: 1)])
    #expect(diff?.change(of: \.count).isChanged == true)
    #expect(diff?.patch.operations == [.replace(JSONPointer(["count"]), 1)])
  }

  @Test("Snippet 10 of AsyncStorePersistence.md yields what its comments say") func snippet10() throws {
    struct Block: Codable, Sendable { var number = 1, hash = UInt64.max, tags: Set = ["a", "b", "c"] }
    let patch = try JSONPatch(encoding: Block(), to: Block(number: 2))
    let block = try patch.applied(to: Block())
    #expect(patch.operations.count == 1)
    #expect(block.hash == .max)
  }
}
