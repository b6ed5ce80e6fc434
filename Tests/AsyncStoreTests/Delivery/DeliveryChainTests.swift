import Testing

@testable import AsyncStore

@Suite("The chain of a commit's observers")
struct DeliveryChainTests {
  /// An observer to which every commit is news.
  ///
  /// `@unchecked` because its superclass is; `prepared` is touched by the test's own thread only.
  final class Listener: CommitObserver, @unchecked Sendable {
    private(set) var prepared = 0

    override func note(_ state: UnsafeRawPointer) -> Bool { true }
    override func prepare() { prepared += 1 }
  }

  /// Commits, as a thread does that may deliver at once.
  ///
  /// - Returns: the addresses of the observers in the chain.
  private func commit(_ list: inout ObserverList, _ queue: inout DeliveryQueue) -> [UnsafeMutableRawPointer] {
    if queue.isDone { queue.beginChain() }
    withUnsafeBytes(of: 0) { DeliveryLoop.note($0.baseAddress!, &list, &queue) }
    var addresses: [UnsafeMutableRawPointer] = []
    var next = queue.takeChain()
    while let observer = next {
      addresses.append(observer.toOpaque())
      next = observer._withUnsafeGuaranteedRef { $0.nextInChain }
    }
    return addresses
  }

  private func address(_ observer: CommitObserver?) -> UnsafeMutableRawPointer? {
    observer.map { Unmanaged.passUnretained($0).toOpaque() }
  }

  @Test("The chain of a commit has every observer with news, each prepared once, in the order of the list")
  func order() {
    var list = ObserverList()
    var queue = DeliveryQueue()
    let listeners = (0..<5).map { _ in Listener() }
    for listener in listeners { list.append(listener) }
    let chain = commit(&list, &queue)
    #expect(chain == listeners.map { address($0) })
    #expect(listeners.allSatisfy { $0.prepared == 1 && $0.isPrepared })
    let isDelivering = queue.isDelivering
    let isOver = queue.endChain()
    #expect((isDelivering, isOver) == (true, true))
  }

  @Test("A commit during a delivery makes no chain, and waits in the queue")
  func whileDelivering() {
    var list = ObserverList()
    var queue = DeliveryQueue()
    let listener = Listener()
    list.append(listener)
    let first = commit(&list, &queue)
    let second = commit(&list, &queue)
    #expect((first.count, second.count) == (1, 0))
    #expect(listener.prepared == 1, "it has one value at a time")
    let isOver = queue.endChain()
    let isDelivering = queue.isDelivering
    #expect((isOver, isDelivering) == (false, true))
    listener.isPrepared = false
    queue.deliverAll()
    #expect(listener.prepared == 2)
    let isDeliveringStill = queue.isDelivering
    #expect(!isDeliveringStill)
  }

  @Test("A commit makes no chain while something waits that has to be delivered before it")
  func whileSomethingWaits() {
    var list = ObserverList()
    var queue = DeliveryQueue()
    list.append(Listener())
    queue.append(.released(0))
    let chain = commit(&list, &queue)
    let isDelivering = queue.isDelivering
    #expect(chain == [])
    #expect(!isDelivering)
  }

  @Test("A chain keeps an observer that leaves meanwhile until it has been passed")
  func leavesMeanwhile() {
    var list = ObserverList()
    var queue = DeliveryQueue()
    weak var last: CommitObserver?
    do {
      let listener = Listener()
      last = listener
      list.append(listener)
      _ = commit(&list, &queue)
      list.remove(listener, &queue)
    }
    #expect(last != nil)
    let isOver = queue.endChain()
    #expect(!isOver)
    queue.deliverAll()
    #expect(last == nil)
  }

  @Test("A chain owns an observer that leaves with the commit")
  func leavesWithTheCommit() {
    var list = ObserverList()
    var queue = DeliveryQueue()
    weak var last: CommitObserver?
    do {
      let listener = Listener(leavesOnceNotified: true)
      last = listener
      list.append(listener)
    }
    let chain = commit(&list, &queue)
    #expect(last != nil)
    #expect(chain == [address(last)])
    let isEmpty = list.isEmpty
    #expect(isEmpty)
    Unmanaged<CommitObserver>.fromOpaque(chain[0]).release()
    #expect(last == nil)
  }
}
