/// The graph of what effects in flight wait for: each other, places under identifiers, and the ends of identifiers.
///
/// An effect that waits for a deadline, an operation or a value has no edge: sooner or later it goes on by itself. On a
/// circle each waits for the next one. Such effects go on only if something around one of them ends it: a timeout, a
/// race, or a cancel.
public struct WaitGraph: Sendable {
  /// A vertex of the graph.
  public enum Vertex: Hashable, Sendable {
    /// An effect in flight, by its number.
    case effect(UInt64)
    /// A place under an identifier, for which the effects that have one are waited for.
    case place(EffectID)
    /// The end of everything under an identifier.
    case end(EffectID)
  }

  /// An edge of the graph.
  public struct Edge: Hashable, Sendable {
    /// What waits.
    public let from: Vertex
    /// What it waits for.
    public let to: Vertex

    /// Creates an edge.
    public init(from: Vertex, to: Vertex) { (self.from, self.to) = (from, to) }
  }

  private let graph: DirectedGraph<Vertex>
  private let names: [UInt64: String]

  init(_ inFlight: InFlight) {
    var graph = DirectedGraph<Vertex>()
    var (places, ends): ([EffectID: [UInt64]], [EffectID: [UInt64]]) = ([:], [:])
    var inLine: [Line: UInt64] = [:]
    for effect in inFlight {
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
    for effect in inFlight {
      let node = Vertex.effect(effect.id)
      if let parent = effect.parent, effect.isAwaited { graph.connect(.effect(parent), to: node) }
      if let origin = effect.origin { graph.connect(.effect(origin), to: node) }
      for identifier in effect.wait.identifiers {
        switch effect.wait.reason {
        case .join: graph.connect(node, to: .end(identifier))
        case .place, .cleanup:
          let before = inLine[Line(identifier: identifier, position: (effect.wait.position ?? 1) - 1)]
          graph.connect(node, to: before.map { .effect($0) } ?? .place(identifier))
        default: break
        }
      }
    }
    for node in graph.nodes {
      switch node {
      case .place(let identifier):
        for effect in places[identifier] ?? [] { graph.connect(node, to: .effect(effect)) }
      case .end(let identifier):
        for effect in ends[identifier] ?? [] { graph.connect(node, to: .effect(effect)) }
      case .effect: break
      }
    }
    self.graph = graph
    names = Dictionary(inFlight.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// The edges, those of effects first.
  public var edges: [Edge] { graph.edges.map { Edge(from: $0.from, to: $0.to) } }

  /// The nodes of each circle, and of circles that share a node together.
  ///
  /// - Complexity: linear in the edges.
  public var circles: [[Vertex]] { graph.circles }

  /// The graph as a flow chart of Mermaid; what is on a circle is red.
  public var mermaid: String { graph.mermaid(name) }

  /// The graph in Graphviz's language DOT; what is on a circle is red.
  public var dot: String { graph.dot(name) }

  private func name(of vertex: Vertex) -> String {
    switch vertex {
    case .effect(let number): names[number] ?? "#\(number)"
    case .place(let identifier): "a place under \(identifier)"
    case .end(let identifier): "the end of \(identifier)"
    }
  }

  private struct Line: Hashable {
    let identifier: EffectID
    let position: Int
  }
}

extension InFlight {
  /// The graph of what these effects wait for.
  ///
  /// ```swift
  /// store.receive(.sleep(.seconds(60)).id("export", .queue()))
  /// store.receive(.set(\.count, to: 1).id("export", .queue()))
  /// let graph = store.inFlight.waitGraph
  /// // graph.edges.count == 2
  /// // graph.circles.isEmpty == true
  /// ```
  ///
  /// - Complexity: linear in the effects.
  public var waitGraph: WaitGraph { WaitGraph(self) }

  /// The live tree as a flow chart of Mermaid.
  public var mermaid: String { tree.mermaid { names[$0] ?? "" } }

  /// The live tree in Graphviz's language DOT.
  public var dot: String { tree.dot { names[$0] ?? "" } }

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
  /// Identifier, label, kind and status, for a picture.
  fileprivate var name: String {
    var words: [String] = []
    if let identifier { words.append("[\(identifier)]") }
    if let label { words.append("\"\(label)\"") }
    words.append(kind.rawValue)
    if kind != .id, kind != .name, !detail.isEmpty { words.append(detail) }
    return "\(words.joined(separator: " ")) · \(status)"
  }
}
