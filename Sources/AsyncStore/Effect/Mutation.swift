extension AsyncStore {
  /// A change of the state, with its place in the source code.
  ///
  /// The type is public only because the payload of a public enum's case has to be. It has no public member: create it
  /// with ``Effect/set(_:file:line:)``, and get its place from ``Effect/summary``.
  @_documentation(visibility: internal)
  public struct Mutation: Sendable {
    @usableFromInline let change: Change
    // The call site in two parts, with the smaller part right behind the change's tag. So an effect takes four words,
    // and one of them identifies its kind, which is most of the cost of copying or releasing a set.
    @usableFromInline let lineNumber: UInt32
    @usableFromInline let file: UInt

    @inlinable
    init(_ body: @escaping @Sendable (inout State) -> Void, _ location: CallSite) {
      self.init(.closure(body), location)
    }

    @inlinable
    init(_ assignment: Assignment, _ location: CallSite) { self.init(.assignment(assignment), location) }

    @inlinable
    init(_ change: Change, _ location: CallSite) {
      self.change = change
      lineNumber = location.lineNumber
      file = location.address
    }

    @usableFromInline
    enum Change: Sendable {
      case closure(@Sendable (inout State) -> Void)
      case assignment(Assignment)

      /// Applies the change.
      ///
      /// A method of the enum itself, because a switch over another value's property would count a reference to the
      /// closure.
      @inlinable
      @inline(__always)
      func apply(to state: UnsafeMutablePointer<State>) {
        switch self {
        case .closure(let body): body(&state.pointee)
        case .assignment(let assignment): assignment.apply(to: state)
        }
      }
    }

    /// The place in the source code where the mutation was written.
    var location: CallSite { CallSite(address: file, lineNumber: lineNumber) }

    /// True if the change is a closure, which may have captured something.
    var isClosure: Bool { if case .closure = change { true } else { false } }

    /// The address of the captures of the change's closure, or 0 if there is nothing to release.
    ///
    /// The bits of a function are only read here, never written. They are the address of its code and a reference to
    /// its captures, or zero if it has none. A function of another size would trap. A function that kept its captures
    /// elsewhere would fail the test that lists release the captures of their sets.
    @inlinable
    @inline(__always)
    var captures: UInt {
      switch change {
      case .closure(let body): unsafeBitCast(Function(body: body), to: (code: UInt, captures: UInt).self).captures
      case .assignment: 0
      }
    }

    /// A closure in a struct, because as a generic argument by itself it would be wrapped into a closure that captures
    /// it.
    @usableFromInline
    struct Function {
      @usableFromInline let body: @Sendable (inout State) -> Void

      @inlinable
      @inline(__always)
      init(body: @escaping @Sendable (inout State) -> Void) { self.body = body }
    }
  }
}
