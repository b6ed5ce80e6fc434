import Testing

@testable import Dupes

@Suite("The options")
struct OptionsTests {
  @Test("The options leave out only empty files by default")
  func standard() throws {
    let options = try Options.parse(["a"])
    #expect(options.filePaths == ["a"])
    #expect(options.searchOptions.minimumSize == 1)
    #expect(!options.searchOptions.isOneFileSystem)
    #expect(options.searchOptions.jobs >= 1)
    #expect(!options.json)
  }

  @Test("The options are taken from the command line")
  func given() throws {
    let options = try Options.parse(["--minimum-size", "4K", "a", "--jobs", "7", "--one-file-system", "--json", "b"])
    #expect(options.filePaths == ["a", "b"])
    #expect(options.searchOptions.minimumSize == 4096)
    #expect(options.searchOptions.isOneFileSystem)
    #expect(options.searchOptions.jobs == 7)
    #expect(options.json)
  }

  @Test(
    "A size may have a unit based on 1024",
    arguments: [
      ("0", 0), ("512", 512), ("1k", 1024), ("1.5K", 1536), ("2MiB", 2 << 20), ("1g", 1 << 30), ("3T", 3 << 40),
      ("0.5", 1), ("10b", 10),
    ])
  func sizes(text: String, bytes: Int) {
    #expect(ByteCount(argument: text)?.bytes == bytes)
  }

  @Test("A malformed size is refused", arguments: ["", "K", "-1", "1 K", "1.2.3", "ten", "1e9", "99999999999T", "1X"])
  func noSizes(text: String) {
    #expect(ByteCount(argument: text) == nil)
  }

  @Test(
    "Invalid options are refused with a message that says what they must be",
    arguments: [
      (["a", "--jobs", "0"], "The value of '--jobs' must be from 1 to 256, and is 0."),
      (["a", "--jobs", "257"], "The value of '--jobs' must be from 1 to 256, and is 257."),
      (["a", "--minimum-size", "big"], "The value 'big' is invalid for '--minimum-size <minimum-size>'"),
      ([], "Missing expected argument '<path> ...'"),
    ]
  )
  func refused(arguments: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Options.parse(arguments) }
    #expect(error.map(Options.message(for:)) == message)
  }
}
