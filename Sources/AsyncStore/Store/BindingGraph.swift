/// The bindings between stores, at one moment.
///
/// ```swift
/// let log = CounterStore(state: Counter(), env: service, name: "log")
/// store.bind(id: "log", to: log, on: \.items) { .set(\.count, to: $0.count) }
/// let graph = BindingGraph([store, log])
/// // graph.edges.map(\.identifier) == ["log"]
/// // graph.cycles.isEmpty == true
/// ```
public struct BindingGraph: Sendable {
  /// A binding: the path of a value from one store to another.
  public struct Edge: Hashable, Sendable {
    /// The store whose values are bound.
    public let upstream: StoreIdentity
    /// The store that is bound.
    public let downstream: StoreIdentity
    /// The binding's identifier.
    public let identifier: EffectID
  }

  /// The bindings, in the order of their upstream stores.
  public let edges: [Edge]
  private let graph: DirectedGraph<StoreIdentity>

  /// Lists the bindings to these stores; the bound stores need not be among them.
  ///
  /// - Complexity: linear in the number of observers of the stores, each under its store's lock.
  public init(_ stores: [AnyAsyncStore]) {
    var graph = DirectedGraph<StoreIdentity>()
    var edges: [Edge] = []
    for store in stores {
      let upstream = store.identity
      graph.add(upstream)
      for (identifier, downstream) in store.runtime.lock({ $0.observers.bindings }) {
        edges.append(Edge(upstream: upstream, downstream: downstream.identity, identifier: identifier))
        graph.connect(upstream, to: downstream.identity, identifier.description)
      }
    }
    (self.edges, self.graph) = (edges, graph)
  }

  /// The stores on each cycle; cycles that share a store are listed together.
  public var cycles: [[StoreIdentity]] { graph.cycles }

  /// The graph as a Mermaid flow chart; stores on a cycle are red.
  public var mermaid: String { graph.mermaid(\.description) }

  /// The graph in Graphviz's DOT language; stores on a cycle are red.
  public var dot: String { graph.dot(\.description) }
}
