/// A directed graph, for drawing.
struct DirectedGraph<Node: Hashable> {
  struct Edge: Hashable {
    let from: Node
    let to: Node
    var label = ""
  }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []
  private var numbers: [Node: Int] = [:]

  /// Adds a node, unless it is already in the graph.
  ///
  /// - Returns: its number, from 0.
  @discardableResult
  mutating func add(_ node: Node) -> Int {
    if let number = numbers[node] { return number }
    numbers[node] = nodes.count
    nodes.append(node)
    return nodes.count - 1
  }

  mutating func connect(_ from: Node, to node: Node, _ label: String = "") {
    add(from)
    add(node)
    edges.append(Edge(from: from, to: node, label: label))
  }

  /// The strongly connected components that have an edge inside, in the order of the nodes.
  ///
  /// Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972; with a stack of its own.
  ///
  /// - Complexity: linear in the number of nodes and edges.
  var cycles: [[Node]] {
    let targets = targetsByNode
    var (index, low) = ([Int?](repeating: nil, count: nodes.count), Array(repeating: 0, count: nodes.count))
    var (isOpen, open): ([Bool], [Int]) = (Array(repeating: false, count: nodes.count), [])
    var (count, found): (Int, [[Int]]) = (0, [])
    for start in nodes.indices where index[start] == nil {
      var path: [(node: Int, next: Int)] = [(start, 0)]
      while let (node, next) = path.last {
        if next == 0 {
          (index[node], low[node], isOpen[node]) = (count, count, true)
          open.append(node)
          count += 1
        }
        if next < targets[node].count {
          path[path.count - 1].next += 1
          let target = targets[node][next]
          if let index = index[target] {
            if isOpen[target] { low[node] = min(low[node], index) }
          } else {
            path.append((target, 0))
          }
          // `next` is past 0 from here on, which marks the node as visited.
          continue
        }
        path.removeLast()
        if let parent = path.last?.node { low[parent] = min(low[parent], low[node]) }
        guard low[node] == index[node], let place = open.lastIndex(of: node) else { continue }
        let members = open[place...].sorted()
        open.removeSubrange(place...)
        for member in members { isOpen[member] = false }
        if members.count > 1 || targets[node].contains(node) { found.append(members) }
      }
    }
    return found.sorted { $0[0] < $1[0] }.map { $0.map { nodes[$0] } }
  }

  private var targetsByNode: [[Int]] {
    var targets = Array(repeating: [Int](), count: nodes.count)
    for edge in edges {
      if let from = numbers[edge.from], let to = numbers[edge.to] { targets[from].append(to) }
    }
    return targets
  }

  // MARK: Drawing

  /// The graph as a Mermaid flow chart; nodes on a cycle are red.
  func mermaid(_ name: (Node) -> String) -> String {
    var lines = ["flowchart TD"]
    for (number, node) in nodes.enumerated() { lines.append("  n\(number)[\"\(name(node).mermaidEscaped)\"]") }
    for edge in edges {
      let label = edge.label.isEmpty ? "" : "|\"\(edge.label.mermaidEscaped)\"|"
      lines.append("  n\(numbers[edge.from] ?? 0) -->\(label) n\(numbers[edge.to] ?? 0)")
    }
    let onCycle = cycles.joined().compactMap { numbers[$0] }
    if !onCycle.isEmpty {
      lines.append("  classDef cycle stroke:#c00,stroke-width:3px")
      lines.append("  class \(onCycle.map { "n\($0)" }.joined(separator: ",")) cycle")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The graph in Graphviz's DOT language; nodes on a cycle are red.
  func dot(_ name: (Node) -> String) -> String {
    let onCycle = Set(cycles.joined())
    var lines = ["digraph {", "  node [shape=box]"]
    for (number, node) in nodes.enumerated() {
      let color = onCycle.contains(node) ? ", color=red" : ""
      lines.append("  n\(number) [label=\"\(name(node).dotEscaped)\"\(color)]")
    }
    for edge in edges {
      let label = edge.label.isEmpty ? "" : " [label=\"\(edge.label.dotEscaped)\"]"
      lines.append("  n\(numbers[edge.from] ?? 0) -> n\(numbers[edge.to] ?? 0)\(label)")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }
}

extension DirectedGraph: Sendable where Node: Sendable {}
extension DirectedGraph.Edge: Sendable where Node: Sendable {}

extension String {
  /// The text for a quoted Mermaid label, with entities for the characters that would end it.
  fileprivate var mermaidEscaped: String {
    escaped(newline: " ") { scalar in
      switch scalar {
      case "#": "#35;"
      case "\"": "#quot;"
      case "<": "#lt;"
      case ">": "#gt;"
      default: nil
      }
    }
  }

  fileprivate var dotEscaped: String {
    escaped(newline: "\\n") { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      default: nil
      }
    }
  }

  /// Returns the text with replacements.
  ///
  /// Replaces scalars, because a quote with a combining mark is another character and still ends a quoted text. Neither
  /// language has control characters.
  private func escaped(newline: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
    var text = ""
    for character in self {
      if character.isNewline {
        text += newline
        continue
      }
      for scalar in character.unicodeScalars {
        if let replacement = replacement(scalar) {
          text += replacement
        } else {
          text.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
      }
    }
    return text
  }
}
