/// A program of the store: a reference to the node of an effect.
struct EffectProgram: Program, Sendable {
  typealias Identifier = EffectID
  typealias Failure = any Error
  typealias Context = TreeContext
  typealias Label = String
  typealias Description = EffectDescription
  typealias Record = EventRecord
  typealias Origin = EffectOrigin

  let node: EffectNode

  var count: Int { node.count }
  var isOperation: Bool { node.isOperation }
  var enclosure: Enclosure { node.enclosure }
  func instruction(at index: Int) -> Instruction<EffectProgram> { node.instruction(at: index) }
  func effectLifted(at index: Int, into store: ObjectIdentifier?) -> EffectProgram? {
    guard let lift = node.node(at: index)?.lift, ObjectIdentifier(lift.target.runtime) == store else { return nil }
    return EffectProgram(node: lift.effect)
  }
  func commits(from index: Int, to end: Int) -> Int { node.commits(from: index, to: end) }
  func description(at index: Int) -> EffectDescription { node.describe(at: index) }
  static func withoutReferences(_ description: EffectDescription) -> EffectDescription {
    description.withoutReferences
  }
  @inline(__always)
  static func record(
    _ description: EffectDescription?, reusing spare: consuming EventRecord?,
    _ locate: (inout EffectPlace<EffectProgram>) -> Void
  ) -> EventRecord {
    let record = spare ?? EventRecord()
    record.use(for: description ?? EffectDescription(.concatenate), locate)
    return record
  }
  func part(_ range: Range<Int>) -> EffectProgram { EffectProgram(node: node.part(range)) }
  func isPlain(before index: Int) -> Bool { node.isPlain(before: index) }

  static func isCancellation(_ failure: any Error) -> Bool { failure is CancellationError }

  static func undo(_ newest: EffectProgram, then older: EffectProgram) -> EffectProgram {
    let mayOperate = newest.node.mayOperate || older.node.mayOperate
    return EffectProgram(
      node: InstructionNode(.finally(body: newest, cleanup: older), mayOperate: mayOperate, newest.node.location))
  }
}
