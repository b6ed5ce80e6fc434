import Ledger

@main
enum Program {
  static func main() {
    LedgerCommand.start()
  }
}
