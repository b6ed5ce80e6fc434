extension AsyncStore {
  /// A change of the state, with its place in the source code.
  ///
  /// It is public only because the payload of a public enum's case has to be. It has no public member: make it with
  /// ``Effect/set(_:file:line:)``, and ask ``Effect/summary`` for its place.
  public struct Mutation: Sendable {
    @usableFromInline let change: Change

    @inlinable
    init(_ body: @escaping @Sendable (inout State) -> Void, _ location: CallSite) {
      change = .closure(body, location)
    }

    @inlinable
    init(_ assignment: Assignment) {
      change = .assignment(assignment)
    }

    @usableFromInline
    enum Change: Sendable {
      case closure(@Sendable (inout State) -> Void, CallSite)
      case assignment(Assignment)

      /// Applies the change.
      ///
      /// A method of the enum itself, because a switch over another value's property would count a reference to the
      /// closure.
      @inlinable
      @inline(__always)
      func apply(to state: UnsafeMutablePointer<State>) {
        switch self {
        case .closure(let body, _): body(&state.pointee)
        case .assignment(let assignment): assignment.apply(to: state)
        }
      }
    }

    /// The place in the source code where the mutation was written.
    var location: CallSite {
      switch change {
      case .closure(_, let location): location
      case .assignment(let assignment): assignment.location
      }
    }

    /// True if the change is a closure, which may have captured something.
    var isClosure: Bool { if case .closure = change { true } else { false } }
  }
}
