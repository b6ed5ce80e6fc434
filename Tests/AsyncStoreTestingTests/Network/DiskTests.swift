import Testing

@testable import AsyncStoreTesting

@Suite("The disk of a simulated host")
struct DiskTests {
  @Test("A disk has on it what was written before a sync, and nothing later, however often it has been synced")
  func laterSync() {
    let disk = Disk()
    disk.write(1, to: "a")
    disk.sync(upTo: disk.writeCount)
    disk.write(2, to: "b")
    let count = disk.writeCount
    disk.write(3, to: "c")
    disk.sync(upTo: count)
    #expect(disk.crash { true } == ["c"])
    #expect(["a", "b", "c"].map { disk.read($0) as? Int } == [1, 2, nil])
  }
}
