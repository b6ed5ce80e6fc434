import Dupes

@main
enum Program {
  static func main() async {
    await DupesCommand.main()
  }
}
