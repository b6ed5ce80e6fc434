/// The graph of what effects in flight wait for: each other, places under identifiers, and the ends of identifiers.
///
/// Create it from one store's effects with ``InFlight/waitGraph``, or from several stores with ``init(_:)``, which
/// follows lifts.
///
/// An effect that waits for a deadline, an operation or a value has no edge, because sooner or later it continues by
/// itself. On a cycle, each effect waits for the next. Such effects continue only if something around one of them ends
/// it: a timeout, a race, or a cancel.
public struct WaitGraph: Sendable {
  /// A vertex of the graph.
  public enum Vertex: Hashable, Sendable {
    /// An effect in flight, by its number.
    case effect(UInt64, in: StoreIdentity)
    /// A place under an identifier; whoever waits for it waits for the effects that have one.
    case place(EffectID, in: StoreIdentity)
    /// The end of everything under an identifier.
    case end(EffectID, in: StoreIdentity)
  }

  /// An edge of the graph.
  public struct Edge: Hashable, Sendable {
    /// The vertex that waits.
    public let from: Vertex
    /// The vertex that `from` waits for.
    public let to: Vertex

    /// Creates an edge.
    public init(from: Vertex, to: Vertex) { (self.from, self.to) = (from, to) }
  }

  private let graph: DirectedGraph<Vertex>
  private let names: [Vertex: String]

  init(_ listings: [WaitListing]) {
    var graph = DirectedGraph<Vertex>()
    for listing in listings { graph.addWaits(of: listing) }
    var trees: [ObjectIdentifier: [Vertex]] = [:]
    for listing in listings {
      for (tree, effects) in listing.trees { trees[tree] = effects.map { .effect($0, in: listing.store) } }
    }
    for listing in listings {
      for (effect, tree) in listing.lifted {
        for outermost in trees[tree] ?? [] { graph.connect(.effect(effect, in: listing.store), to: outermost) }
      }
    }
    self.graph = graph
    var names: [Vertex: String] = [:]
    for listing in listings {
      let prefix = listings.count > 1 ? "\(listing.store): " : ""
      for effect in listing.effects { names[.effect(effect.id, in: listing.store)] = prefix + effect.name }
    }
    self.names = names
  }

  /// The edges, store by store, with those of effects first; the edges of lifts come last.
  public var edges: [Edge] { graph.edges.map { Edge(from: $0.from, to: $0.to) } }

  /// The nodes of each cycle; cycles that share a node are listed together.
  ///
  /// - Complexity: linear in the number of edges.
  public var cycles: [[Vertex]] { graph.cycles }

  /// The graph as a Mermaid flow chart; vertices on a cycle are red.
  public var mermaid: String { graph.mermaid(name) }

  /// The graph in Graphviz's DOT language; vertices on a cycle are red.
  public var dot: String { graph.dot(name) }

  private func name(of vertex: Vertex) -> String {
    switch vertex {
    case .effect(let number, _): names[vertex] ?? "#\(number)"
    case .place(let identifier, _): "a place under \(identifier)"
    case .end(let identifier, _): "the end of \(identifier)"
    }
  }
}

/// The effects of one store, with the trees that lead from store to store.
struct WaitListing {
  let store: StoreIdentity
  let effects: InFlight
  /// The trees that effects have lifted into other stores, by the effects' numbers.
  var lifted: [UInt64: ObjectIdentifier] = [:]
  /// The outermost effects of each tree.
  var trees: [ObjectIdentifier: [UInt64]] = [:]
}

extension DirectedGraph<WaitGraph.Vertex> {
  private struct Line: Hashable {
    let identifier: EffectID
    let position: Int
  }

  /// Adds what the effects of a store wait for in that store.
  fileprivate mutating func addWaits(of listing: WaitListing) {
    let store = listing.store
    let first = nodes.count
    var (places, ends): ([EffectID: [UInt64]], [EffectID: [UInt64]]) = ([:], [:])
    var inLine: [Line: UInt64] = [:]
    for effect in listing.effects {
      guard let identifier = effect.identifier else { continue }
      ends[identifier, default: []].append(effect.id)
      switch effect.wait.reason {
      case .place,
        .cleanup where effect.wait.position != nil:
        inLine[Line(identifier: identifier, position: effect.wait.position ?? 1)] = effect.id
      case .window: break
      default: places[identifier, default: []].append(effect.id)
      }
    }
    for effect in listing.effects {
      let node = Node.effect(effect.id, in: store)
      if let parent = effect.parent, effect.isAwaited { connect(.effect(parent, in: store), to: node) }
      if let origin = effect.origin { connect(.effect(origin, in: store), to: node) }
      for identifier in effect.wait.identifiers {
        switch effect.wait.reason {
        case .join: connect(node, to: .end(identifier, in: store))
        case .place, .cleanup:
          let before = inLine[Line(identifier: identifier, position: (effect.wait.position ?? 1) - 1)]
          connect(node, to: before.map { .effect($0, in: store) } ?? .place(identifier, in: store))
        default: break
        }
      }
    }
    // The earlier nodes belong to other stores: none is a place or an end in this one.
    for node in nodes[first...] {
      switch node {
      case .place(let identifier, store):
        for effect in places[identifier] ?? [] { connect(node, to: .effect(effect, in: store)) }
      case .end(let identifier, store):
        for effect in ends[identifier] ?? [] { connect(node, to: .effect(effect, in: store)) }
      default: break
      }
    }
  }
}

extension InFlight {
  /// The graph of what these effects wait for in their store.
  ///
  /// ```swift
  /// store.receive(.sleep(.seconds(60)).id("export", .queue()))
  /// store.receive(.set(\.count, to: 1).id("export", .queue()))
  /// let graph = store.inFlight.waitGraph
  /// // graph.edges.count == 2
  /// // graph.cycles.isEmpty == true
  /// ```
  ///
  /// - Complexity: linear in the number of effects.
  public var waitGraph: WaitGraph { WaitGraph(store.map { [WaitListing(store: $0, effects: self)] } ?? []) }

  /// The live tree as a Mermaid flow chart.
  ///
  /// - Complexity: linear in the number of effects.
  public var mermaid: String {
    let names = names
    return tree.mermaid { names[$0] ?? "" }
  }

  /// The live tree in Graphviz's DOT language.
  ///
  /// - Complexity: linear in the number of effects.
  public var dot: String {
    let names = names
    return tree.dot { names[$0] ?? "" }
  }

  private var names: [UInt64: String] { Dictionary(uniqueKeysWithValues: map { ($0.id, $0.name) }) }

  private var tree: DirectedGraph<UInt64> {
    var tree = DirectedGraph<UInt64>()
    for effect in self {
      tree.add(effect.id)
      if let parent = effect.parent { tree.connect(parent, to: effect.id) }
    }
    return tree
  }
}

extension InFlightEffect {
  /// Identifier, label, kind and wait, for a picture.
  fileprivate var name: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier)]") }
    if let label { words.append("\"\(label)\"") }
    words.append(kind.rawValue)
    if kind != .id, kind != .label, !detail.isEmpty { words.append(detail) }
    return "\(words.joined(separator: " ")) · \(wait)"
  }
}
