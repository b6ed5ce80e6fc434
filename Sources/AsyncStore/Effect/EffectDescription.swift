/// A description of one effect of a tree: its kind, its detail and its call site.
public struct EffectDescription: Hashable, Sendable, CustomStringConvertible {
  /// The place in the source code where the effect was written, if it is known.
  public let location: CallSite?
  /// The kind of the effect.
  public let kind: EffectKind
  // Formatted only on request, because fibers keep descriptions of the effects that they have released.
  private let content: Detail

  init(_ kind: EffectKind, _ detail: Detail = .none, at location: CallSite? = nil) {
    self.kind = kind
    self.location = location
    content = detail
  }

  /// The effect's identifier, label or time; empty if there is none.
  public var detail: String { content.text }

  /// The identifier that the effect gives to the effects inside it, if it gives one.
  package var givenIdentifier: EffectID? {
    switch content {
    case .identifier(let identifier), .throttle(let identifier, _): identifier
    case .none, .span, .limit, .text, .label, .selection: nil
    }
  }

  /// The description without identifiers of users' own types.
  var withoutReferences: EffectDescription {
    switch content {
    case .identifier(let identifier), .throttle(let identifier, _):
      identifier.holdsReferences ? EffectDescription(kind, at: location) : self
    case .selection: EffectDescription(kind, at: location)
    case .none, .span, .limit, .text, .label: self
    }
  }

  enum Detail: Hashable, Sendable {
    case none
    case span(Moment.Span)
    case limit(Int)
    // Boxed, so that fibers stay small.
    indirect case text(String)
    indirect case label(String)
    indirect case identifier(EffectID)
    indirect case throttle(EffectID, Moment.Span)
    indirect case selection(Selection<EffectID>)

    var text: String {
      switch self {
      case .none: ""
      case .text(let text): text
      case .label(let label): "\"\(label)\""
      case .span(let span): "\(Duration.nanoseconds(span))"
      case .limit(let limit): "at most \(limit)"
      case .identifier(let identifier): "\(identifier)"
      case .throttle(let identifier, let span): "\(identifier) \(Duration.nanoseconds(span))"
      case .selection(let selection): selection.description
      }
    }
  }

  /// The description in one line, such as `sleep 1.0 seconds (Module/File.swift:12)`.
  public var description: String {
    var words = kind.rawValue
    if !detail.isEmpty { words += " \(detail)" }
    if let location, location.line > 0 { words += " (\(location))" }
    return words
  }
}

extension AsyncStore.Effect {
  /// A description of this effect, without the effects inside it.
  public var summary: EffectDescription {
    switch self {
    case .none: EffectDescription(.none)
    case .set(let mutation): EffectDescription(.set, at: mutation.location)
    case .node(let node): node.summary
    }
  }

  /// The effects directly inside this one, in order.
  ///
  /// Effects that are computed later, by operations or from the state, are not included. For durations, identifiers and
  /// labels, see ``structure``.
  public var children: [Self] {
    guard case .node(let node) = self else { return [] }
    if node.isList { return (0..<node.count).map { Self(EffectProgram(node: node.part($0..<$0 + 1))) } }
    switch node.instruction {
    case .merge(let list, _), .race(let list, _), .sequence(let list): return Self.node(list.node).children
    case .recover(let body, _): return [Self(body)]
    default: return node.instruction.programs.map { Self($0) }
    }
  }

  /// Creates the effect that a program was made from, to be enclosed by another one.
  init(_ program: EffectProgram) {
    if let node = program.node as? AsyncStore.MutationNode {
      self = .set(node.mutation)
    } else {
      self = program.node.isList && program.count == 0 ? .none : .node(program.node)
    }
  }
}

extension AsyncStore.Effect: CustomStringConvertible {
  /// The tree, one effect per line, indented by depth, up to a depth of 64.
  ///
  /// Nothing in it runs.
  public var description: String {
    var lines: [String] = []
    var pending: [(effect: Self, depth: Int)] = [(self, 0)]
    while let (effect, depth) = pending.popLast() {
      let indentation = String(repeating: "  ", count: min(depth, 64))
      if depth == 64 {
        lines.append(indentation + "…")
        continue
      }
      lines.append(indentation + effect.summary.description)
      for child in effect.children.reversed() { pending.append((child, depth + 1)) }
    }
    return lines.joined(separator: "\n")
  }
}

extension Instruction where P == EffectProgram {
  /// The kind of the effect, as far as the instruction alone determines it.
  var kind: EffectKind {
    switch self {
    case .none: .none
    case .commit: .set
    case .evaluate: .update
    case .operate, .attempts: .task
    case .lift: .lift
    case .sleep: .sleep
    case .timer: .timer
    case .source: .stream
    case .cancel: .cancel
    case .join: .join
    case .concatenate: .concatenate
    case .merge: .merge
    case .race: .race
    case .replacing, .scope: .id
    case .throttle: .throttle
    case .label: .label
    case .timeout: .timeout
    case .retry: .retry
    case .recover: .recover
    case .finally: .finally
    case .sequence: .sequence
    case .compensate: .compensate
    }
  }

  var detail: EffectDescription.Detail {
    switch self {
    case .sleep(let span), .timer(let span), .timeout(let span, _, _): .span(span)
    case .cancel(let selection), .join(let selection): .selection(selection)
    case .merge(_, let limit): limit == .max ? .none : .limit(limit)
    case .attempts: .text("retrying")
    case .race(_, let toSucceed): toSucceed ? .text("to succeed") : .none
    case .replacing(_, let identifier), .scope(let identifier, _, _): .identifier(identifier)
    case .throttle(let identifier, let span, _, _, _): .throttle(identifier, span)
    case .label(_, let label): .label(label)
    default: .none
    }
  }
}

extension Selection where Identifier == EffectID {
  var description: String {
    switch self {
    case .identifiers(let identifiers): identifiers.map(\.description).joined(separator: ", ")
    case .prefix(let prefix): "\(prefix)/…"
    case .all: "all"
    }
  }
}
