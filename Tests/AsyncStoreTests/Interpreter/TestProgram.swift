@testable import AsyncStore

/// The name of a scope in tests: 11 and 12 lie under 1, 111 lies under 11.
struct Name: ScopeIdentifier, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  let number: Int

  init(_ number: Int) { self.number = number }
  init(integerLiteral value: Int) { number = value }

  func isUnder(_ prefix: Name) -> Bool {
    var rest = number
    while rest > prefix.number { rest /= 10 }
    return rest == prefix.number
  }

  var holdsReferences: Bool { false }

  var description: String { "\(number)" }
}

/// An effect tree of the machine's tests: a mutation and an operation are numbers.
indirect enum Tree: Equatable, Sendable {
  case none
  case commit(Int)
  /// Commits, and continues with an effect.
  case evaluate(Int, Tree)
  case operate(Int)
  /// An effect that runs in another store.
  case lift(Int)
  /// A lift into the store itself.
  case ownLift(Tree)
  case sleep(Int64)
  /// Each tick is mapped to the same effect.
  case timer(Int64, Tree)
  case source(Int, SourceStrategy)
  case cancel(Selection<Name>)
  case join(Selection<Name>)
  case concatenate([Tree])
  case merge([Tree], limit: Int)
  case race([Tree], toSucceed: Bool)
  case scope(Name, ScopePolicy, Tree)
  case throttle(Name, Int64, leading: Bool, trailing: Bool, Tree)
  case label(Tree)
  case timeout(Int64, Tree, Tree)
  /// A retry. If `asks` is true, an event decides on each failed attempt.
  case retry(RetrySchedule, asks: Bool = false, Tree)
  /// An operation that is retried without the effect that it returns.
  case attempts(RetrySchedule, asks: Bool = false, Int)
  case recover(Tree, answer: Tree)
  case finally(Tree, Tree)
  case sequence([Tree])
  case compensated(Tree, by: Tree)

  static func merge(_ members: Tree...) -> Tree { .merge(members, limit: .max) }
  static func concatenate(_ members: Tree...) -> Tree { .concatenate(members) }
  static func sequence(_ members: Tree...) -> Tree { .sequence(members) }
  static func race(_ members: Tree...) -> Tree { .race(members, toSucceed: false) }
  static func scope(_ name: Name, _ body: Tree) -> Tree { .scope(name, .replace, body) }
}

/// Shapes that are too large to be written down.
///
/// Each level is made on request, so that the release of a shape does not overflow the stack.
enum LazyShape: Equatable, Sendable {
  /// `concatenate(concatenate(... operate, commit), commit)`.
  case nestedConcatenations
  case nestedMerges
  case nestedScopes
  case nestedRecoveries
  case wideMerge
  case wideConcatenation
  /// Operations in a merge, each under an identifier of its own.
  case wideScopes
}

/// A program that is a plain value.
enum TestProgram: Program, Equatable {
  typealias Identifier = Name
  typealias Failure = Int
  typealias Context = Int
  typealias Label = Int
  typealias Description = Tree
  typealias Record = UInt64
  typealias Origin = Int

  case list([Tree])
  /// A generated shape. `size` is the remaining depth, or the width.
  case generated(LazyShape, size: Int)
  /// A merge of a generated shape.
  case merged(LazyShape, size: Int)
  /// A range of a program's effects.
  indirect case part(TestProgram, Range<Int>)

  init(_ tree: Tree) { self = .list([tree]) }

  var count: Int {
    switch self {
    case .list(let trees): trees.count
    case .merged: 1
    case .part(_, let range): range.count
    case .generated(let shape, let size):
      switch shape {
      case .nestedConcatenations: size == 0 ? 1 : 2
      case .nestedMerges: size == 0 ? 1 : 2
      case .nestedScopes, .nestedRecoveries: 1
      case .wideMerge, .wideConcatenation, .wideScopes: size
      }
    }
  }

  static func record(
    _ description: Tree?, reusing spare: consuming UInt64?, _ locate: (inout EffectPlace<TestProgram>) -> Void
  ) -> UInt64 {
    var place = EffectPlace<TestProgram>()
    locate(&place)
    return place.number
  }

  var isOperation: Bool {
    if count == 1, case .operate = instruction(at: 0) { true } else { false }
  }

  var enclosure: Enclosure {
    if count == 1, case let instruction = instruction(at: 0) { instruction.enclosure } else { .none }
  }

  func instruction(at index: Int) -> Instruction<TestProgram> {
    switch self {
    case .list(let trees): trees[index].instruction
    case .part(let whole, let range): whole.instruction(at: range.lowerBound + index)
    case .merged(let shape, let size): .merge(.generated(shape, size: size), limit: .max)
    case .generated(let shape, let size): Self.instruction(of: shape, size: size, at: index)
    }
  }

  private static func instruction(of shape: LazyShape, size: Int, at index: Int) -> Instruction<TestProgram> {
    let inner = TestProgram.generated(shape, size: size - 1)
    switch shape {
    case .nestedConcatenations:
      return size == 0 ? .operate : index == 0 ? .concatenate(inner) : .commit
    case .nestedMerges:
      return size == 0 ? .operate : index == 0 ? .merge(inner, limit: .max) : .commit
    case .nestedScopes:
      return size == 0 ? .operate : .scope(under: Name(size), .replace, body: inner)
    case .nestedRecoveries:
      return size == 0 ? .operate : .recover(body: inner, handler: TestProgram(.none))
    case .wideMerge:
      return .operate
    case .wideConcatenation:
      return .commit
    case .wideScopes:
      return .scope(under: Name(index), .replace, body: TestProgram(.operate(index)))
    }
  }

  /// The failure that is taken for a cancellation.
  static var cancellation: Int { 0 }
  static func isCancellation(_ failure: Int) -> Bool { failure == cancellation }

  static func undo(_ newest: TestProgram, then older: TestProgram) -> TestProgram {
    TestProgram(.finally(newest.tree, older.tree))
  }

  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> TestProgram? {
    switch self {
    case .part(let whole, let range): return whole.effectLifted(at: range.lowerBound + index, into: store)
    case .list(let trees):
      guard case .ownLift(let body) = trees[index] else { return nil }
      return TestProgram(body)
    case .generated, .merged: return nil
    }
  }

  func part(_ range: Range<Int>) -> TestProgram {
    if case .list(let trees) = self { .list(Array(trees[range])) } else { .part(self, range) }
  }

  /// Returns whether the effects before `index` are plain, as in a store's lists whose mutations capture nothing.
  ///
  /// This way the tests compare both ways to wait with the model.
  func isPlain(before index: Int) -> Bool {
    index <= 4
      && (0..<index).allSatisfy { place in
        switch tree(at: place) {
        case .commit(let number): number % 2 == 1
        case .sleep: true
        default: false
        }
      }
  }

  func description(at index: Int) -> Tree { tree(at: index) }
  static func withoutReferences(_ description: Tree) -> Tree { description }

  private var tree: Tree {
    guard case .list(let trees) = self else { preconditionFailure("a shape is no compensation") }
    return trees.count == 1 ? trees[0] : .concatenate(trees)
  }

  func tree(at index: Int) -> Tree {
    guard case .list(let trees) = self else { return .commit(index) }
    return trees[index]
  }
}

extension Site<TestProgram> {
  var tree: Tree { program.tree(at: index) }
}

extension Tree {
  var instruction: Instruction<TestProgram> {
    switch self {
    case .none: .none
    case .commit: .commit
    case .evaluate: .evaluate
    case .operate: .operate
    case .lift, .ownLift: .lift
    case .sleep(let span): .sleep(span)
    case .timer(let interval, _): .timer(interval: interval)
    case .source(_, let strategy): .source(strategy)
    case .cancel(let selection): .cancel(selection)
    case .join(let selection): .join(selection)
    case .concatenate(let members): .concatenate(.list(members))
    case .merge(let members, let limit): .merge(.list(members), limit: limit)
    case .race(let members, let toSucceed): .race(.list(members), toSucceed: toSucceed)
    case .scope(let name, let policy, let body): .scope(under: name, policy, body: TestProgram(body))
    case .throttle(let name, let span, let leading, let trailing, let body):
      .throttle(name, span, leading: leading, trailing: trailing, body: TestProgram(body))
    case .label(let body): .label(body: TestProgram(body), 0)
    case .timeout(let span, let body, let otherwise):
      .timeout(span, body: TestProgram(body), otherwise: TestProgram(otherwise))
    case .retry(let schedule, let asks, let body):
      .retry(RetryPlan(schedule: schedule, seed: 1, isConditional: asks), body: TestProgram(body))
    case .attempts(let schedule, let asks, _):
      .attempts(RetryPlan(schedule: schedule, seed: 1, isConditional: asks))
    case .recover(let body, let answer):
      .recover(body: TestProgram(body), handler: TestProgram(.recover(.none, answer: answer)))
    case .finally(let body, let cleanup): .finally(body: TestProgram(body), cleanup: TestProgram(cleanup))
    case .sequence(let members): .sequence(.list(members))
    case .compensated(let body, let undo): .compensate(body: TestProgram(body), with: TestProgram(undo))
    }
  }
}
