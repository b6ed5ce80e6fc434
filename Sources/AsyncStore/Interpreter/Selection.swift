/// The scopes that a `cancel` or a `join` names.
enum Selection<Identifier: Hashable> {
  case identifiers([Identifier])
  case prefix(Identifier)
  case all
}

extension Selection: Hashable {}
extension Selection: Sendable where Identifier: Sendable {}
