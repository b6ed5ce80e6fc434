import Foundation
import Testing

@testable import AsyncStoreTesting

@Suite("Kept schedules")
struct KeptSchedulesTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let (one, two): (Schedule, Schedule)

  init() throws {
    folder = try TemporaryFolder()
    file = folder.url.appendingPathComponent("OrderTests.schedules")
    one = try #require(Schedule("1:0/2-1/2"))
    two = try #require(Schedule("2:1/3"))
  }

  private func kept(_ testName: String) -> KeptSchedules {
    KeptSchedules(beside: folder.path + "/OrderTests.swift", testName: testName)
  }

  private func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

  @Test(
    "Kept schedules are read whatever ends and divides their lines",
    arguments: [
      "order 1:0/2-1/2\norder 2:1/3\n", "order 1:0/2-1/2\r\norder 2:1/3\r\n", "order\t1:0/2-1/2\n order  2:1/3",
    ])
  func lineBreaks(text: String) throws {
    try write(text)
    #expect(kept("order").all == [one, two])
  }

  @Test("Kept schedules are read behind anything else, and without their comments")
  func damaged() throws {
    try write("\0\u{1}# x\norder never\n# order 2:1/3\nother 2:1/3\norder 1:0/2-1/2 # since May\n\0order 2:1/3\0")
    #expect(kept("order").all == [one, two])
  }

  @Test(
    "Kept schedules may belong to a test whose name has blanks or slashes",
    arguments: ["`GET /users/1`", "`a #1  name`"])
  func rawNames(name: String) throws {
    for _ in 1...2 { kept(name).keep(one) }
    #expect(kept(name).all == [one])
    #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 1)
  }

  @Test("A kept schedule is added on a line of its own")
  func added() throws {
    try write("other 2:1/3")
    kept("order").keep(one)
    #expect(kept("other").all == [two])
    #expect(kept("order").all == [one])
  }

  @Test("Kept schedules tell the cases of a test by their arguments, and not by their places in memory")
  func digest() {
    let digests = [
      #"Case((unknown context at $7fdb8340e35c)._Kind(arguments: ["x"], 0x0000aaab))"#,
      #"Case((unknown context at $55d0a1)._Kind(arguments: ["x"], 0xffff))"#,
      #"Case((unknown context at $55d0a1)._Kind(arguments: ["y"], 0xffff))"#,
    ].map(ExplorationSite.digest)
    #expect(digests[0] == digests[1])
    #expect(digests[0] != digests[2])
  }

  @Test(
    "A command that replays a kept schedule is passed on by a shell as it is",
    arguments: [
      ("order", #"'[./]`?order`?(\(|$)'"#), ("`GET /users/1`", #"'[./]`?GET /users/1`?(\(|$)'"#),
      ("`it's a.b`", #"'[./]`?it.s a\.b`?(\(|$)'"#), ("…", "…"),
    ])
  func filter(testName: String, filter: String) {
    #expect(ExplorationSite.filter(for: testName) == filter)
  }
}
