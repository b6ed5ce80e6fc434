/// A row of the table of instructions: a workload that executes the same whenever it runs on one thread.
package struct CountedRow: Sendable {
  package let name: String
  /// The highest allowed number of instructions for one operation.
  package let bar: Int?
  /// The highest allowed ratio to the instructions by hand.
  package let ratioBar: Double?
  /// The smaller size and the larger one.
  ///
  /// The difference between their runs is what is counted, so that what both begin with does not count.
  package let sizes: Range<Int>
  /// The operations between the two.
  package let operations: Int
  /// True if the hand-written side does on one thread what it does on several.
  ///
  /// A task that is cancelled before it has begun does not sleep, for example.
  package let countsByHand: Bool
  /// The index of the stretch that is counted among those that the workload measures, and their number.
  package let stretch: (index: Int, of: Int)
  private let run: @Sendable (_ size: Int) -> (workload: any Workload, size: Int)

  package func ours(_ size: Int) async throws {
    let (workload, size) = run(size)
    _ = try await workload.ours(size)
  }

  package func byHand(_ size: Int) async throws {
    let (workload, size) = run(size)
    _ = try await workload.baseline(size)
  }

  private init(
    _ name: String, _ sizes: Range<Int>, each: Int = 1, bar: Int? = nil, ratioBar: Double? = nil,
    countsByHand: Bool = true, stretch: (index: Int, of: Int) = (0, 1),
    run: @escaping @Sendable (_ size: Int) -> (workload: any Workload, size: Int)
  ) {
    self.name = name
    self.sizes = sizes
    operations = sizes.count * each
    self.bar = bar
    self.ratioBar = ratioBar
    self.countsByHand = countsByHand
    self.stretch = stretch
    self.run = run
  }

  package init(
    _ workload: any Workload, _ sizes: Range<Int>, bar: Int? = nil, ratioBar: Double? = nil, countsByHand: Bool = true
  ) {
    self.init(
      workload.name, sizes, bar: bar, ratioBar: ratioBar, countsByHand: countsByHand
    ) { (workload, $0) }
  }

  /// Those of this module, in the order of the bars.
  ///
  /// Not those that hash addresses, tracked reads and a cancel by a prefix: they vary by half. Nor those that need more
  /// than one thread or real time.
  package static let ofWorkloads: [CountedRow] = [
    CountedRow(StateChange(), 50..<150, bar: 60),
    CountedRow(PropertyChange(), 50..<150, bar: 70),
    CountedRow(TaskCommit(), 4..<12),
    CountedRow(GuardedTaskCommit(), 4..<12),
    CountedRow(CancelInFlight(), 4..<12, countsByHand: false),
    CountedRow(MergedTasks(), 4..<12),
    CountedRow(ConcatenatedSets(), 100..<300, bar: 70),
    CountedRow(KeptSets(), 100..<300, bar: 70),
    CountedRow(ConcatenatedTasks(), 8..<24, ratioBar: 1.25),
    CountedRow(ConcatenatedTasks(isFirstRetried: true), 8..<24, countsByHand: false),
    CountedRow(Sleepers(), 4..<12),
    CountedRow(RestartedDebounce(), 4..<12, bar: 7_000, countsByHand: false),
    CountedRow(RestartedTimeout(), 4..<12, bar: 9_000, countsByHand: false),
    CountedRow(MadeTimeout(), 8..<24, bar: 2_500, countsByHand: false),
    bindings(1, 8..<24), bindings(10, 4..<12), bindings(100, 1..<2),
    CountedRow("P9b/100", 1..<5, each: 100, ratioBar: 1) { (UntouchedBindings(changes: $0), 100) },
    CountedRow(StoreLife(), 8..<24, ratioBar: 2.5),
    CountedRow(TailRecursion(), 16..<48, ratioBar: 1.5),
    CountedRow(SentActions(), 50..<150),
    CountedRow(FulfilledOrders(), 4..<12),
    CountedRow(FulfilledOrders(isInstrumented: true), 4..<12, countsByHand: false),
    CountedRow("R1", 4..<8, each: RingOfStores.changes) { (RingOfStores(), $0) },
    CountedRow("L1", 8..<24, countsByHand: false, stretch: (0, of: 2)) { (ListedEffects(), $0) },
    CountedRow("D1", 50..<150, stretch: (0, of: 3)) { (DeepState(), $0) },
    CountedRow("D1/observed", 50..<150, stretch: (1, of: 3)) { (DeepState(), $0) },
    CountedRow("D1/bound", 50..<150, stretch: (2, of: 3)) { (DeepState(), $0) },
  ]

  private static func bindings(_ stores: Int, _ changes: Range<Int>) -> CountedRow {
    CountedRow("P9a/\(stores)", changes, each: stores, ratioBar: 2.5) { (Bindings(changes: $0), stores) }
  }
}
