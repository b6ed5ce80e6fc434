import AsyncStore

/// The smallest program with a store, which `Tests/Benchmarks/start-up` measures.
@main
struct Minimal {
  static func main() async {
    let store = AsyncStore(state: 0, env: ())
    await store.run(.task { .set { $0 += 1 } })
    print(store.state)
  }
}
