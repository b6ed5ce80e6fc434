import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The messages of a host")
struct HostMessagesTests {
  typealias Network = SimulatedNetwork<Int>

  @Test("A host's messages continue after a reader was cancelled, and none is lost with it")
  func cancelledReader() async throws {
    try await explore(.seeds(200)) { simulation in
      let network = Network()
      let (a, b) = (network.host("a"), network.host("b"))
      let received = Note<[Int]>([])
      let first = b.task { for await envelope in b.messages { received.change { $0.append(envelope.message) } } }
      a.send(1, to: "b")
      await switchPoint()
      first.cancel()
      a.send(2, to: "b")
      _ = await first.result
      a.send(3, to: "b")
      b.task { for await envelope in b.messages { received.change { $0.append(envelope.message) } } }
      await simulation.settle()
      #expect(received.value == [1, 2, 3])
    }
  }

  @Test("A host's messages can be awaited with a timeout, and read on")
  func timeout() async throws {
    try await simulate { simulation in
      let network = Network(NetworkConditions(latency: .seconds(2) ... .seconds(2)))
      let (a, b) = (network.host("a"), network.host("b"))
      var answers: [Int?] = []
      for number in 0..<3 {
        if number == 1 { a.send(number, to: "b") }
        answers.append(
          await withTaskGroup(of: Int?.self) { group in
            group.addTask { await b.messages.first { _ in true }?.message }
            group.addTask {
              try? await b.clock.sleep(for: .seconds(3))
              return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
          })
      }
      #expect(answers == [nil, 1, nil])
    }
  }

  @Test("Several readers share a host's messages, and each gets others")
  func severalReaders() async throws {
    try await explore(.seeds(50)) { simulation in
      let network = Network()
      let (a, b) = (network.host("a"), network.host("b"))
      let received = Note<[Int]>([])
      for _ in 0..<3 {
        b.task { for await envelope in b.messages { received.change { $0.append(envelope.message) } } }
      }
      for number in 0..<10 { a.send(number, to: "b") }
      await simulation.settle()
      #expect(received.value.sorted() == Array(0..<10))
    }
  }

  @Test("A host's messages end with a crash, which drops those that were not read")
  func crash() async throws {
    try await simulate { simulation in
      let network = Network()
      let (a, b) = (network.host("a"), network.host("b"))
      a.send(1, to: "b")
      await simulation.settle()
      network.crash("b")
      #expect(await b.messages.first { _ in true } == nil)
      let waiting = network.host("c")
      let task = Task { await waiting.messages.first { _ in true } == nil }
      await simulation.settle()
      network.crash("c")
      #expect(await task.value)
    }
  }

  @Test("A host's messages to itself do not reach its next life")
  func nextLife() async throws {
    try await simulate { simulation in
      let network = Network()
      let received = Note<[Int]>([])
      network.host("a") { host in
        for await envelope in host.messages { received.change { $0.append(envelope.message) } }
      }
      network["a"]?.send(1, to: "a")
      network.restart("a")
      network["a"]?.send(2, to: "a")
      await simulation.settle()
      #expect(received.value == [2])
      let lost = network.events.first { $0.kind == .lost }
      #expect(lost?.message == 1)
      #expect(lost?.text == "a has crashed")
    }
  }
}
