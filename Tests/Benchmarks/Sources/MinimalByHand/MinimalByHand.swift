import Synchronization

/// The same by hand.
@main
struct MinimalByHand {
  static func main() async {
    let state = Mutex(0)
    await Task { state.withLock { $0 += 1 } }.value
    print(state.withLock { $0 })
  }
}
