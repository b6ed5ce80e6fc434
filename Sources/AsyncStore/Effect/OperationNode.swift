extension AsyncStore {
  /// A node with an operation, except one that takes the number of its attempt.
  ///
  /// A separate class, smaller than ``ClosureNode``, because most of the nodes created and freed are operations: a
  /// recursion creates one at each level.
  ///
  /// `@unchecked` because its superclass is. Its own part is of a `Sendable` type. It is set by `init`, before another
  /// thread can have the node, and changed by `deinit`, when no thread has it any more; in between it is only read.
  @usableFromInline
  final class OperationNode: EffectNode, @unchecked Sendable {
    /// An operation that ``ReleaseChain`` keeps until its turn.
    private final class KeptOperation: ReleaseChain.Link {
      private let operation: Operation
      init(_ operation: Operation) { self.operation = operation }
    }

    // Read only by holders of the node, and changed only when nobody holds it any more.
    @exclusivity(unchecked) private(set) var operation: Operation

    init(_ operation: Operation, _ location: CallSite) {
      self.operation = operation
      super.init(mayOperate: true, enclosure: .operation, height: 0, location)
    }

    /// Creates an operation where the types of the state are known, because generic code would look up the class each
    /// time.
    @usableFromInline
    init(_ operation: @escaping @Sendable () async throws -> Effect, _ location: CallSite) {
      self.operation = .plain(operation)
      super.init(mayOperate: true, enclosure: .operation, height: 0, location)
    }

    /// Creates an operation on the environment, also where the types are known.
    @usableFromInline
    init(_ operation: @escaping @Sendable (Env) async throws -> Effect, _ location: CallSite) {
      self.operation = .onEnvironment(operation)
      super.init(mayOperate: true, enclosure: .operation, height: 0, location)
    }

    deinit {
      // A closure literal, because a reference to the method would count references to the node.
      ReleaseChain.release(link: { KeptOperation(operation) }, { releaseOperation() })
    }

    // The class's operation has one layout, so that replacing it needs no type metadata.
    @inline(never)
    private func releaseOperation() { operation = .none }

    override var instruction: Instruction<EffectProgram> { .operate }
  }
}
