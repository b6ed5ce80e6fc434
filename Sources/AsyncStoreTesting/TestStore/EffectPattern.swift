#if Testing
  import AsyncStore

  /// A pattern that selects the effects of an assertion.
  ///
  /// A string literal names the effects under that identifier or with that label.
  public struct EffectPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A description of the pattern, for people.
    public let description: String
    private let test: @Sendable (Names) -> Bool

    fileprivate struct Names {
      var identifiers: [EffectID]
      var labels: [String]
      let kind: EffectKind

      func isUnder(_ id: EffectID) -> Bool { identifiers.contains { $0.isUnder(id) } }
    }

    /// Creates a pattern that matches the effects whose identifier or label is `name`.
    public init(stringLiteral name: String) {
      self.init(name) { names in
        names.isUnder(EffectID(name)) || names.labels.contains(name)
      }
    }

    private init(_ description: String, _ test: @escaping @Sendable (Names) -> Bool) {
      self.description = description
      self.test = test
    }

    /// Any effect.
    public static let any = EffectPattern("any") { _ in true }

    /// Returns a pattern for the effects under an identifier.
    public static func id(_ id: some Hashable & Sendable) -> EffectPattern {
      let id = EffectID(id)
      return EffectPattern("[\(id)]") { $0.isUnder(id) }
    }

    /// Returns a pattern for the effects with a label.
    public static func label(_ label: String) -> EffectPattern {
      EffectPattern("\"\(label)\"") { $0.labels.contains(label) }
    }

    /// Returns a pattern for the effects of a kind, such as `sleep`.
    public static func kind(_ kind: EffectKind) -> EffectPattern { EffectPattern(kind.rawValue) { $0.kind == kind } }

    func matches(_ record: EffectRecord) -> Bool {
      // An effect that was refused never had the identifier that it was to have.
      let nearest = [record.effect.givenIdentifier, record.identifier].compactMap(\.self)
      return test(
        Names(
          identifiers: nearest + record.outerIdentifiers, labels: record.label.map { [$0] } ?? [],
          kind: record.effect.kind))
    }

    /// - Parameter ancestors: the effect and those around it.
    func matches(_ effect: InFlightEffect, within ancestors: [InFlightEffect]) -> Bool {
      test(
        Names(
          identifiers: ancestors.compactMap(\.identifier), labels: ancestors.compactMap(\.label), kind: effect.kind))
    }
  }
#endif
