#if Testing
  import AsyncStore

  /// A pattern that selects the effects for an assertion.
  ///
  /// A string literal names the effects under that identifier or with that label. It is a single component: an
  /// identifier that prints as `feed/3` is usually a path, and its pattern is written the way the path is created, each
  /// component with its type. The beginning of a path names everything below it.
  ///
  /// ```swift
  /// try await simulate { simulation in
  ///   let store = simulation.testStore(Counter(), env: service)
  ///   store.receive(.sleep(.seconds(1)).id(EffectID("feed").appending(3)))
  ///   store.expect(.begun(.id(EffectID("feed").appending(3))))  // and not .begun("feed/3")
  ///   store.expectInFlight("feed")
  ///   await store.expect(.settled("feed"), after: .seconds(1))
  ///   // store.store.inFlight.isEmpty == true
  /// }
  /// ```
  ///
  /// Paths are created by `EffectID.appending(_:)`; by the module for actions, which puts the effects of a keyed part,
  /// such as an element, under the keys that lead to it; and by a scope of requests, which numbers them under its
  /// prefix.
  public struct EffectPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A description of the pattern, for people.
    public let description: String
    /// The condition for the effects; patterns with equal conditions select the same effects.
    let condition: Condition

    enum Condition: Hashable, Sendable {
      case any, named(String), id(EffectID), label(String), kind(EffectKind)

      fileprivate var identifier: EffectID? {
        switch self {
        case .named(let name): EffectID(name)
        case .id(let id): id
        case .any, .label, .kind: nil
        }
      }

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

    /// Creates a pattern that matches the effects under the identifier `name`, and those with that label.
    public init(stringLiteral name: String) { self.init(name, .named(name)) }

    private init(_ description: String, _ condition: Condition) {
      self.description = description
      self.condition = condition
    }

    /// Any effect.
    public static let any = EffectPattern("any", .any)

    /// Returns a pattern for the effects under an identifier, for example a path.
    public static func id(_ id: some Hashable & Sendable) -> EffectPattern {
      let id = EffectID(id)
      return EffectPattern("[\(id)]", .id(id))
    }

    /// Returns a pattern for the effects with a label.
    public static func label(_ label: String) -> EffectPattern { EffectPattern("\"\(label)\"", .label(label)) }

    /// Returns a pattern for the effects of a kind, such as `sleep`.
    public static func kind(_ kind: EffectKind) -> EffectPattern { EffectPattern(kind.rawValue, .kind(kind)) }

    func matches(_ record: EffectRecord) -> Bool {
      condition.isMet(
        by: Names(
          identifiers: record.identifiers, labels: record.label.map { [$0] } ?? [], kind: record.effect.kind))
    }

    /// - Parameter ancestors: the effect and those around it.
    func matches(_ effect: InFlightEffect, within ancestors: [InFlightEffect]) -> Bool {
      condition.isMet(
        by: Names(
          identifiers: ancestors.compactMap(\.identifier), labels: ancestors.compactMap(\.label), kind: effect.kind))
    }

    /// Returns a sentence about the first identifier that differs from the pattern's path but prints the same, or
    /// prints with the path inside; empty if there is none.
    ///
    /// - Parameter identifiers: the identifiers of effects that don't match.
    func advice(on identifiers: some Sequence<EffectID>) -> String {
      guard let expected = condition.identifier else { return "" }
      let words = "/\(expected)/"
      guard let similar = identifiers.first(where: { !$0.isUnder(expected) && "/\($0)/".contains(words) })
      else { return "" }
      return "\nThere is [\(similar)], another identifier: write a path as it is made, from its first component on and "
        + "each with its type, .id(EffectID(\"feed\").appending(3))."
    }
  }

  extension EffectRecord {
    /// The effect's identifier and those around it, the nearest first.
    ///
    /// A dropped effect never had its intended identifier, which comes first.
    var identifiers: [EffectID] {
      [effect.givenIdentifier, identifier].compactMap(\.self) + outerIdentifiers
    }
  }
#endif
