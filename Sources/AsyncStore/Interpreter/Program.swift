/// A list of sibling effects as the machine sees them: their number and their instructions.
///
/// The machine is generic over its programs, so that it never sees a user's closure: in the store a program is a
/// reference to the effect's own storage, in the machine's tests it is a plain value that compares with `==`.
protocol Program {
  /// The names that scopes carry.
  associatedtype Identifier: ScopeIdentifier
  /// The error type of operations.
  associatedtype Failure
  /// The shell's data about a tree: the handle that waits for it, the values its operations inherit.
  associatedtype Context
  /// The label of an effect.
  associatedtype Label
  /// The description of an effect, which is kept when the effect itself is released.
  associatedtype Description
  /// The record of an effect that an instrument is told of.
  associatedtype Record

  var count: Int { get }

  /// Returns the effect at `index`, one level deep.
  func instruction(at index: Int) -> Instruction<Self>

  /// True for a single operation, with nothing beside it.
  var isOperation: Bool { get }

  /// The outermost enclosure of the program's only operation, or `none` if the program does anything else.
  var enclosure: Enclosure { get }

  /// Returns the number of mutations in a row from `index` on, before `end`.
  func commits(from index: Int, to end: Int) -> Int

  /// Returns a description of the effect at `index`.
  func description(at index: Int) -> Description

  /// Returns the description without anything whose release could call the store.
  static func withoutReferences(_ description: Description) -> Description

  /// Returns a record of an effect.
  ///
  /// - Parameters:
  ///   - description: the description; `nil` if the effect is released, and none was kept.
  ///   - spare: an earlier record, which nobody knows any more, to be used again.
  ///   - locate: fills an empty place in, where the record has it: it is large to move.
  static func record(
    _ description: Description?, reusing spare: consuming Record?, _ locate: (inout EffectPlace<Self>) -> Void
  ) -> Record

  /// Returns the effects in this range, and holds nothing of the others.
  func part(_ range: Range<Int>) -> Self

  /// Returns whether the effects before `index` hold no closure and no other effect, so that keeping them costs
  /// nothing.
  ///
  /// - Complexity: constant: it may answer `false` in place of looking at many.
  func isPlain(before index: Int) -> Bool

  /// Returns whether this error of a cancelled operation only says that it was cancelled.
  static func isCancellation(_ failure: Failure) -> Bool

  /// Returns a program that runs `newest`, and then, however that ended, `older`.
  static func undo(_ newest: Self, then older: Self) -> Self
}

extension Program {
  func commits(from index: Int, to end: Int) -> Int {
    var next = index
    while next < end, case .commit = instruction(at: next) { next += 1 }
    return next - index
  }
}

/// A name that can lie under another one.
protocol ScopeIdentifier: Hashable {
  func isUnder(_ prefix: Self) -> Bool

  /// True if it may hold a value of a user's own type, whose release could call the store.
  var holdsReferences: Bool { get }
}

/// One effect of a program, at which the shell finds the user's closure that belongs to a directive.
struct Site<P: Program> {
  let program: P
  private let place: Int32

  init(program: P, index: Int) {
    self.program = program
    place = Int32(index)
  }

  var index: Int { Int(place) }
}

extension Site: Equatable where P: Equatable {}
extension Site: Sendable where P: Sendable {}

/// One level of an effect tree.
///
/// Four words at most; the rare cases are boxed, as in ``Directive``. A larger value would be copied and destroyed
/// through its value witness table, which costs more than everything that the machine does with it.
enum Instruction<P: Program> {
  case none
  /// Applies a mutation to the state.
  case commit
  /// Applies a mutation that answers with the effect to go on with.
  case evaluate
  /// Runs an asynchronous operation that answers with the effect to go on with.
  case operate
  /// Makes another store interpret an effect; an operation in all other respects.
  case lift
  case sleep(Moment.Span)
  case timer(interval: Moment.Span)
  /// Opens a source outside of the machine, which emits effects until it ends or is cancelled: a sequence, a key path,
  /// another store.
  case source(SourceStrategy)
  case cancel(Selection<P.Identifier>)
  case join(Selection<P.Identifier>)
  case concatenate(P)
  case merge(P, limit: Int)
  case race(P, toSucceed: Bool)
  /// Begins under an identifier, in place of what is in flight there: the most common policy, and the one that fits
  /// without a box.
  case replacing(body: P, P.Identifier)
  /// Begins under an identifier with any other policy.
  indirect case scope(P.Identifier, ScopePolicy, body: P)
  indirect case throttle(P.Identifier, Moment.Span, leading: Bool, trailing: Bool, body: P)
  case label(body: P, P.Label)
  case timeout(Moment.Span, body: P, otherwise: P)
  indirect case retry(RetryPlan, body: P)
  /// Runs an asynchronous operation again when it fails; an operation in all other respects.
  indirect case attempts(RetryPlan)
  case recover(body: P, handler: P)
  case finally(body: P, cleanup: P)
  /// Ends at the first member that fails or has not completed.
  case sequence(P)
  case compensated(body: P, by: P)
}

extension Instruction {
  /// Returns the instruction to begin under an identifier.
  static func scope(under identifier: P.Identifier, _ policy: ScopePolicy, body: P) -> Self {
    policy == .replace ? .replacing(body: body, identifier) : .scope(identifier, policy, body: body)
  }

  /// True if the instruction does nothing of its own, so that the effect before it still counts as the last one.
  var isTransparent: Bool {
    switch self {
    case .none, .concatenate, .label: true
    case .merge(let members, _): members.count < 2
    case .sleep(let span): span <= 0
    default: false
    }
  }

  /// True if the instruction begins an effect under an identifier, if the policy permits.
  var isScope: Bool {
    switch self {
    case .replacing, .scope, .throttle: true
    default: false
    }
  }
}

/// The outermost effect around a single operation, of those that the operation's own fiber can do.
///
/// A fiber has one deadline, one retry and one compensation, and does them in this order from the inside out. Any other
/// order, and anything else inside, is no enclosure.
enum Enclosure: UInt8 {
  case none
  /// The operation itself, with nothing around it.
  case operation
  case timeout, retry, compensation

  /// Returns what an effect of the outer kind is with this one inside.
  @inline(__always)
  func enclosed(in outer: Enclosure) -> Enclosure { rawValue > 0 && rawValue < outer.rawValue ? outer : .none }
}

extension Instruction {
  /// The outermost enclosure of the instruction's only operation, or `none` if the instruction does anything else.
  var enclosure: Enclosure {
    switch self {
    case .operate: .operation
    case .timeout(let span, let body, _): span > 0 ? body.enclosure.enclosed(in: .timeout) : .none
    case .retry(_, let body): body.enclosure.enclosed(in: .retry)
    case .compensated(let body, _): body.enclosure.enclosed(in: .compensation)
    default: .none
    }
  }
}

/// The plan for trying a failed effect or operation again.
struct RetryPlan: Hashable, Sendable {
  var schedule: RetrySchedule
  /// The seed of the schedule's random numbers, or `nil` for one of the machine's own.
  var seed: UInt64?
  /// True if the shell is asked about each error.
  var isConditional = false
}

/// The scopes that a `cancel` or a `join` names.
enum Selection<Identifier: Hashable> {
  case identifiers([Identifier])
  case prefix(Identifier)
  case all
}

extension Selection: Hashable {}
extension Selection: Sendable where Identifier: Sendable {}

/// The rule for an effect that starts under an identifier already in flight.
enum ScopePolicy: Hashable, Sendable {
  case replace
  case replaceAfterCleanup
  case keepFirst
  /// At most `width` at once; at most `capacity` more wait for their turn, first in, first out.
  case queue(width: Int, capacity: Int)
}

/// The rule for the effects of earlier values when a source has a new value.
enum SourceStrategy: Hashable, Sendable {
  case each
  case latest
  /// Runs one after the other; at most `capacity` values wait, and the oldest is dropped for a newer one.
  case serial(capacity: Int)
}
