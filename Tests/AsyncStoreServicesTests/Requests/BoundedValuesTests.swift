#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import Testing

  @Suite("Values for readers that may not fall behind", .simulated(atEnd: .cancels))
  struct BoundedValuesTests {
    let store: NotesStore

    init() throws { store = try #require(Simulation.current).notes() }

    @Test("A reader that keeps up gets all values from the current one on")
    func all() async throws {
      store.receive(.set(\.count, to: 1))
      var reader = store.values(of: \.count, failingBehind: 2).makeAsyncIterator()
      var seen: [Int?] = []
      for count in 2...5 {
        store.receive(.set(\.count, to: count))
        seen.append(try await reader.next())
        if count == 2 { seen.append(try await reader.next()) }
      }
      #expect(seen == [1, 2, 3, 4, 5])
      store.deactivate()
      #expect(try await reader.next() == nil)
    }

    @Test("A reader that falls too far behind gets an error, and its next reading begins anew")
    func behind() async throws {
      let values = store.values(of: \.count, failingBehind: 2)
      var reader = values.makeAsyncIterator()
      for count in 1...2 { store.receive(.set(\.count, to: count)) }
      let error = await #expect(throws: StoreServiceError.self) { try await reader.next() }
      #expect(error?.code == .slowReader)
      #expect(try await reader.next() == nil)
      var second = values.makeAsyncIterator()
      #expect(try await second.next() == 2)
    }

    @Test(
      "A reader that fell behind gets the error even if the store or the task has ended since",
      arguments: [true, false])
    func behindAtTheEnd(isStore: Bool) async throws {
      let reader = store.values(of: \.count, failingBehind: 1).makeAsyncIterator()
      for count in 1...2 { store.receive(.set(\.count, to: count)) }
      if isStore { store.deactivate() }
      let task = Task { [reader] in
        var reader = reader
        return try await reader.next()
      }
      if !isStore { task.cancel() }
      let error = await #expect(throws: StoreServiceError.self) { try await task.value }
      #expect(error?.code == .slowReader)
    }

    @Test("A waiting reader gets the error if it falls behind before its value has reached it")
    func behindWhileWaiting() async throws {
      let simulation = try #require(Simulation.current)
      var reader = store.values(of: \.count, failingBehind: 1).makeAsyncIterator()
      #expect(try await reader.next() == 0)
      let task = Task { [reader] in
        var reader = reader
        return try await reader.next()
      }
      try await simulation.clock.sleep(for: .seconds(1))
      for count in 1...2 { store.receive(.set(\.count, to: count)) }
      let error = await #expect(throws: StoreServiceError.self) { try await task.value }
      #expect(error?.code == .slowReader)
    }

    @Test("A copy of a reader that fell behind gets the error, too")
    func behindInACopy() async throws {
      var reader = store.values(of: \.count, failingBehind: 1).makeAsyncIterator()
      for count in 1...2 { store.receive(.set(\.count, to: count)) }
      var copy = reader
      await #expect(throws: StoreServiceError.self) { try await reader.next() }
      await #expect(throws: StoreServiceError.self) { try await copy.next() }
    }

    @Test("A reader that fell behind gets the error even if the next value equals the last one it read")
    func behindAnEqualValue() async throws {
      var reader = store.values(of: \.count, failingBehind: 1).makeAsyncIterator()
      #expect(try await reader.next() == 0)
      for count in [1, 0] { store.receive(.set(\.count, to: count)) }
      let error = await #expect(throws: StoreServiceError.self) { try await reader.next() }
      #expect(error?.code == .slowReader)
    }
  }
#endif
