#if Testing
  import AsyncStore

  /// A pattern that selects the effects of an assertion.
  ///
  /// A string literal names the effects under that identifier or with that label.
  public struct EffectPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A description of the pattern, for people.
    public let description: String
    /// The condition for the effects, by which patterns for the same effects are equal.
    let condition: Condition

    enum Condition: Hashable, Sendable {
      case any, named(String), id(EffectID), label(String), kind(EffectKind)

      fileprivate func isMet(by names: Names) -> Bool {
        switch self {
        case .any: true
        case .named(let name): names.isUnder(EffectID(name)) || names.labels.contains(name)
        case .id(let id): names.isUnder(id)
        case .label(let label): names.labels.contains(label)
        case .kind(let kind): names.kind == kind
        }
      }
    }

    fileprivate struct Names {
      var identifiers: [EffectID]
      var labels: [String]
      let kind: EffectKind

      func isUnder(_ id: EffectID) -> Bool { identifiers.contains { $0.isUnder(id) } }
    }

    /// Creates a pattern that matches the effects whose identifier or label is `name`.
    public init(stringLiteral name: String) { self.init(name, .named(name)) }

    private init(_ description: String, _ condition: Condition) {
      self.description = description
      self.condition = condition
    }

    /// Any effect.
    public static let any = EffectPattern("any", .any)

    /// Returns a pattern for the effects under an identifier.
    public static func id(_ id: some Hashable & Sendable) -> EffectPattern {
      let id = EffectID(id)
      return EffectPattern("[\(id)]", .id(id))
    }

    /// Returns a pattern for the effects with a label.
    public static func label(_ label: String) -> EffectPattern { EffectPattern("\"\(label)\"", .label(label)) }

    /// Returns a pattern for the effects of a kind, such as `sleep`.
    public static func kind(_ kind: EffectKind) -> EffectPattern { EffectPattern(kind.rawValue, .kind(kind)) }

    func matches(_ record: EffectRecord) -> Bool {
      // An effect that was refused never had the identifier that it was to have.
      let nearest = [record.effect.givenIdentifier, record.identifier].compactMap(\.self)
      return condition.isMet(
        by: Names(
          identifiers: nearest + record.outerIdentifiers, labels: record.label.map { [$0] } ?? [],
          kind: record.effect.kind))
    }

    /// - Parameter ancestors: the effect and those around it.
    func matches(_ effect: InFlightEffect, within ancestors: [InFlightEffect]) -> Bool {
      condition.isMet(
        by: Names(
          identifiers: ancestors.compactMap(\.identifier), labels: ancestors.compactMap(\.label), kind: effect.kind))
    }
  }
#endif
