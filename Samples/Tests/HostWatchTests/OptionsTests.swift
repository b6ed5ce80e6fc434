import Testing

@testable import HostWatch

@Suite("The options")
struct OptionsTests {
  @Test("The options default to an interval of one second, no end and the display")
  func standard() throws {
    let options = try Options.parse([])
    #expect(options.interval == 1)
    #expect(options.seconds == nil)
    #expect(!options.json)
  }

  @Test("The options are taken from the command line")
  func given() throws {
    let options = try Options.parse(["--seconds", "3", "--interval", "0.5", "--json"])
    #expect(options.interval == 0.5)
    #expect(options.seconds == 3)
    #expect(options.json)
  }

  @Test(
    "Invalid options are refused with a message that says what they must be",
    arguments: [
      (["--interval", "0"], "The value of '--interval' must be from 0.01 to 86400 seconds, and is 0.0."),
      (["--interval", "-1"], "The value of '--interval' must be from 0.01 to 86400 seconds, and is -1.0."),
      (["--interval", "nan"], "The value of '--interval' must be from 0.01 to 86400 seconds, and is nan."),
      (["--interval", "1e-9"], "The value of '--interval' must be from 0.01 to 86400 seconds, and is 1e-09."),
      (["--interval", "inf"], "The value of '--interval' must be from 0.01 to 86400 seconds, and is inf."),
      (["--seconds", "-3"], "The value of '--seconds' must be from 0 to 1000000000, and is -3.0."),
      (["--seconds", "inf"], "The value of '--seconds' must be from 0 to 1000000000, and is inf."),
      (["--interval", "soon"], "The value 'soon' is invalid for '--interval <interval>'"),
      (["--seconds"], "Missing value for '--seconds <seconds>'"),
    ]
  )
  func refused(arguments: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Options.parse(arguments) }
    #expect(error.map(Options.message(for:)) == message)
  }
}
