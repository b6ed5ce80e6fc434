import Orders

@main
enum Program {
  static func main() async {
    await OrdersCommand.main()
  }
}
