import HostWatch

@main
enum Program {
  static func main() async {
    await HostWatchCommand.main()
  }
}
