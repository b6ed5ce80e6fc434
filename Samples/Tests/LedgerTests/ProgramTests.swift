import Foundation
import Testing

@testable import Ledger

@Suite("The program")
struct ProgramTests {
  let folder: Folder
  let ledger: Program

  init() throws {
    folder = try Folder()
    ledger = try Program(in: folder)
  }

  static func line(_ number: Int) -> String {
    #"{"date":"2026-01-31","description":"\#(number)","entries":["A 0.01 EUR","B -0.01 EUR"]}"# + "\n"
  }

  @Test("The program keeps a ledger from one run to the next")
  func session() throws {
    _ = try folder.write(
      """
      reference,date,description,account,amount,currency
      r,2026-01-05,Salary,Assets:Bank,2500.00,EUR
      r,2026-01-05,Salary,Income:Salary,-2500.00,EUR

      """, to: "bank.csv")
    #expect(try ledger("import", "bank.csv").output == "Posted 1 postings of bank.csv.\n")
    let again = try ledger("import", "bank.csv")
    #expect(again.code == 1)
    #expect(again.complaint == "ledger: bank.csv:2:1: \"r\" has been posted before.\n")
    #expect(again.output.isEmpty)
    #expect(try ledger("post", "2026-02-01", "Coffee", "Expenses:Food 3.50 EUR", "Assets:Bank -3.50 EUR").code == 0)
    #expect(try ledger("undo").output == "Took back: post \"Coffee\".\n")
    #expect(try ledger("balance").output == "Assets:Bank     2500.00  EUR\nIncome:Salary  -2500.00  EUR\n")
    #expect(try ledger("redo").code == 0)
    #expect(try ledger("balance", "expenses").output == "Expenses:Food  3.50  EUR\nTotal          3.50  EUR\n")
    let audit = try ledger("audit")
    #expect(audit.code == 0)
    #expect(audit.output.hasPrefix("4 actions lead to every state they led to"))
    #expect(try ledger("--help").output.contains("USAGE: ledger <subcommand>"))
    #expect(try ledger("nonsense").code == 64)
  }

  @Test("The program says what is wrong with a ledger that it can't read, and leaves it as it is")
  func damaged() throws {
    #expect(try ledger("balance").code == 2)
    let path = try folder.write("not a ledger\n", to: "ledger.books")
    for command in ["balance", "undo"] {
      let result = try ledger(command)
      #expect(result.code == 2)
      #expect(result.complaint.hasPrefix("ledger: ledger.books is damaged") || result.complaint.contains("is damaged"))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a ledger\n")
  }

  @Test("The program lets one process at a time change a ledger")
  func locked() throws {
    let feed = try ledger.start("feed")
    try feed.input.fileHandleForWriting.write(contentsOf: Data(Self.line(1).utf8))
    #expect(feed.output.fileHandleForReading.availableData == Data("1\n".utf8))
    let result = try ledger("undo")
    #expect(result.code == 3)
    #expect(result.complaint.contains("ledger.books is in use by process \(feed.process.processIdentifier) on "))
    #expect(try ledger("balance").output == "A   0.01  EUR\nB  -0.01  EUR\n")
    #expect(try feed.end().code == 0)
    #expect(try ledger("undo").code == 0)
  }

  /// A posting of 1,000 bytes, of which two do not fit where one does.
  static let long = "post 2026-01-31 \(String(repeating: "x", count: 1_000)) 'A 1 EUR' B"

  @Test("The program loses nothing to a crash in the middle of a line, reports it and continues")
  func torn() throws {
    #expect(try ledger.shell(#""$0" \#(Self.long)"#).code == 0)
    // No file may grow beyond 1.5 KiB: the system ends the program after it has written as much.
    let crash = try ledger.shell(#"ulimit -c 0; ulimit -f 3; "$0" \#(Self.long)"#)
    #expect(crash.code != 0)
    #expect(crash.output.isEmpty)
    #expect(try folder.read("ledger.books").count == 1_536)
    let balance = try ledger("balance", "A")
    #expect(balance.code == 0)
    #expect(balance.output == "A      1.00  EUR\nTotal  1.00  EUR\n")
    #expect(balance.complaint.contains("bytes of ledger.books are not counted"))
    let next = try ledger("post", "2026-01-31", "y", "A 2 EUR", "B")
    #expect(next.code == 0)
    #expect(next.complaint.contains("were cut off by a crash"))
    #expect(try folder.read("ledger.books.torn").count > 100)
    let after = try ledger("balance", "A")
    #expect(after.output == "A      3.00  EUR\nTotal  3.00  EUR\n")
    #expect(after.complaint.isEmpty)
    #expect(try ledger("audit").code == 0)
  }

  @Test("The program leaves the books as they were if the disk is full")
  func full() throws {
    #expect(try ledger.shell(#""$0" \#(Self.long)"#).code == 0)
    let before = try folder.read("ledger.books")
    let full = try ledger.shell(#"trap '' XFSZ; ulimit -f 3; "$0" \#(Self.long)"#)
    #expect(full.code == 2)
    #expect(full.complaint.hasPrefix("ledger: ledger.books can't be written: "))
    #expect(try folder.read("ledger.books") == before)
  }

  @Test("The program writes no answer into its files if it is started without standard streams")
  func closedStreams() throws {
    let closed = [("1", ">&-"), ("2", ">&- 2>&-"), ("3", "<&- >&- 2>&-"), ("4", "<&-")]
    for (number, streams) in closed {
      let result = try ledger.shell(#""$0" post 2026-01-31 x 'A \#(number) EUR' B \#(streams)"#)
      #expect(result.code == (streams == "<&-" ? 0 : 4), "\(streams)")
    }
    _ = try folder.write((1...3).map(Self.line).joined(), to: "good")
    for streams in [">&-", ">&- 2>&-"] {
      let feed = try ledger.shell(#""$0" feed < good \#(streams)"#)
      #expect(feed.code == 4, "\(streams)")
    }
    #expect(try ledger("balance", "A").output == "A      10.06  EUR\nTotal  10.06  EUR\n")
    #expect(try ledger("audit").code == 0)
    for name in try folder.names {
      #expect(try !String(decoding: folder.read(name), as: UTF8.self).contains("Posted"), "\(name)")
    }
  }

  @Test("The program says that the books have changed if it can't write to the standard output")
  func untold() throws {
    _ = try folder.write("2026-01-31 x\n  A  1 EUR\n  B\n", to: "a.journal")
    _ = try folder.write("; nothing\n", to: "b.journal")
    _ = try folder.write((1...3).map(Self.line).joined(), to: "good")
    _ = try folder.write((1...3).map(Self.line).joined() + "{}\n", to: "bad")
    for (command, postings, done) in [
      ("post 2026-01-31 x 'A 1 EUR' B", 1, "Posted \"x\"."), ("undo", 0, "Took back: post \"x\"."),
      ("redo", 1, "Made again: post \"x\"."), ("import a.journal", 2, "Posted 1 postings of a.journal."),
      ("import b.journal", 2, "Posted 0 postings of b.journal."), ("feed < good", 5, "Posted the first 3 lines."),
      ("feed < bad", 8, "Posted the first 3 lines."),
    ] {
      // Opened for reading only.
      let result = try ledger.shell(#""$0" \#(command) 1< /dev/null"#)
      #expect(result.code == 4, "\(command)")
      let complaint = "ledger: This was done, and the standard output can't be written to say so: \(done)"
      #expect(result.complaint.hasPrefix(complaint), "\(command)")
      #expect(result.complaint.contains("Line 4 ") == command.contains("bad"), "\(command)")
      #expect(try folder.ledger.books().journal.postingCount == postings, "\(command)")
    }
    #expect(try ledger.shell(#""$0" balance 1< /dev/null"#).code == 2)
    #expect(try ledger.shell(#""$0" import a.csv 1< /dev/null"#).code == 2)
    #expect(try ledger("--help").output.contains("with 4 if"))
  }

  @Test("The program's help says that a semicolon in a description begins a comment")
  func semicolons() throws {
    for command in ["print", "post"] {
      let help = try ledger("help", command).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(help.contains("follows a semicolon in a description is a comment to hledger, and to a later import"))
    }
  }

  @Test("The program refuses input that is not UTF-8, wherever it comes from")
  func encoding() throws {
    let header = "reference,date,description,account,amount,currency\\n"
    for (script, complaint) in [
      (#""$0" post 2026-01-31 "Caf$(printf '\351')" "A 1 EUR" B"#, "Argument 3 is not UTF-8."),
      (
        #"printf '{"date":"2026-01-31","description":"Caf\351"}\n' | "$0" feed"#,
        "standard input:1:40: This is not UTF-8."
      ),
      (#"printf '\#(header)r,2026-01-05,Caf\351' | "$0" import -"#, "-:2:17: This is not UTF-8."),
      (#"printf '\#(header)r,2026-01-05,Caf\351' > a.csv; "$0" import a.csv"#, "a.csv:2:17: This is not UTF-8."),
      (
        #"printf '2026-01-05 Caf\351' > a.journal; "$0" import a.journal"#, "a.journal:1:15: This is not UTF-8."
      ),
      (
        #""$0" post 2026-01-31 x 'A 1 EUR' B --file b; printf '\351\n' > log; "$0" audit --file b --log log"#,
        "log:1:1: This is not UTF-8."
      ),
    ] {
      let result = try ledger.shell(script)
      #expect(result.code == 1, "\(script)")
      #expect(result.complaint == "ledger: \(complaint)\n", "\(script)")
    }
    #expect(try ledger("balance").code == 2)
  }

  @Test("The program reads the standard input by either of its names")
  func standardInput() throws {
    let rows = #"reference,date,description,account,amount,currency\nr,2026-01-05,x,A,1,$\nr,2026-01-05,x,B,-1,$\n"#
    for (number, name) in ["/dev/stdin", "-"].enumerated() {
      let rows = rows.replacing("r,", with: "r\(number),")
      let result = try ledger.shell("printf '\(rows)' | \"$0\" import \(name)")
      #expect(result.output == "Posted 1 postings of \(name).\n")
    }
    let journal = try ledger.shell(#"printf '2026-01-05 x\n a  $1\n b' | "$0" import --format hledger /dev/stdin"#)
    #expect(journal.output == "Posted 1 postings of /dev/stdin.\n")
  }

  @Test("The program prints no raw control character from books, mistakes or file names")
  func controls() throws {
    // Books of before may have them.
    try folder.ledger.post(
      Posting(Day("2026-01-31"), "\u{1B}[2J\u{9B}1m", [Entry(Account("A\u{7}"), Amount("1 EUR")), Entry("B -1 EUR")]))
    for arguments in [
      ["balance"], ["balance", "--json"], ["register"], ["register", "--json"], ["print"], ["log"], ["report"],
      ["replay"], ["replay", "--json"], ["undo"], ["redo"], ["\u{1B}[31m"], ["balance", "--\u{9B}31m"],
      ["balance", "\u{1B}[31m"], ["balance", "--file", "\u{1B}]0;x\u{7}"], ["import", "\u{1B}.csv"],
      ["post", "\u{1B}c", "x", "A 1 EUR", "B"],
    ] {
      let result = try ledger.run(arguments)
      let scalars = (result.output + result.complaint).unicodeScalars
      #expect(!scalars.contains { $0.isControl && $0 != "\n" }, "\(arguments)")
      if arguments.last == "--json" || arguments == ["log"] {
        for line in result.output.split(separator: "\n") {
          #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
      }
    }
  }

  @Test("The program reports a missing file if its previous version is there")
  func previous() throws {
    try folder.write(try Fixture.data("books-1.json"), to: "ledger.books")
    #expect(try ledger("undo").code == 0)
    try FileManager.default.removeItem(atPath: folder["ledger.books"])
    for arguments in [["balance"], ["post", "2026-01-31", "x", "A 1 EUR", "B"]] {
      let result = try ledger.run(arguments)
      #expect(result.code == 2)
      #expect(result.complaint.contains("ledger.books.previous"))
    }
  }

  @Test("The program continues with a ledger that has the file name of older versions")
  func olderName() throws {
    try folder.write(try Fixture.data("books-1.json"), to: "ledger.json")
    #expect(try ledger("post", "2026-01-31", "x", "A 1 EUR", "B").code == 0)
    #expect(try folder.names == ["ledger.json", "ledger.json.previous"])
    #expect(try ledger("post", "2026-01-31", "x", "A 1 EUR", "B", "--file", "ledger.books").code == 0)
    #expect(try ledger("log").output.split(separator: "\n").count == 2)
  }
}
