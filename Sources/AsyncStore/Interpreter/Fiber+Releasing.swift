/// A fiber that waits holds what it has still to do, and nothing that is done.
///
/// An effect is a tree, and whoever holds one of its nodes holds all that is below, with what the users' closures have
/// captured. So a fiber that comes to wait gives up each list that it is in the middle of, and goes on with parts of
/// its own for what is left of it. What encloses other effects it gives up as those begin, and keeps a description; a
/// retry it keeps, because that may begin again. A list with at most four effects before the one it waits at, none of
/// which holds anything, stays as it is: that is nearly all that ever waits.
///
/// In place, and not by way of the machine's table: each step of it would look the fiber up there.
extension Fiber {
  /// The effect it is at goes on as others, in other fibers, or in this one's activity: only words of it are kept.
  mutating func releaseEffect(to released: inout UniqueArray<P>) {
    guard cursor > 0, let program = program.take() else { return }
    leftEffect = P.withoutReferences(program.description(at: Int(cursor) - 1))
    divideFrames(to: &released)
    divide(program, keepingCurrent: false, to: &released)
  }

  /// The same of a fiber that nobody is shown: it does nothing any more but hold its only child.
  mutating func releaseEffectSilently(to released: inout UniqueArray<P>) {
    guard let program = program.take() else { return }
    divideFrames(to: &released)
    divide(program, keepingCurrent: false, to: &released)
  }

  /// It waits at an effect that it needs until that is over.
  mutating func keepEffect(to released: inout UniqueArray<P>) {
    divideFrames(to: &released)
    guard !isWhole(before: Int(cursor) - 1), let program = program.take() else { return }
    divide(program, keepingCurrent: true, to: &released)
  }

  /// It waits to be on the actor that commits happen on, for the effect it comes to next.
  mutating func keepNextEffect(to released: inout UniqueArray<P>) {
    divideFrames(to: &released)
    guard !isWhole(before: Int(cursor)), let program = program.take() else { return }
    divide(program, keepingCurrent: false, to: &released)
  }

  /// It stays for others, or has been cancelled: it goes on with nothing any more.
  mutating func releaseAll(to released: inout UniqueArray<P>) {
    if cursor > 0, let program {
      leftEffect = P.withoutReferences(program.description(at: Int(cursor) - 1))
    }
    releaseFrames(to: &released)
    if let program = program.take() { released.append(program) }
    (cursor, end) = (0, 0)
  }

  /// The same where an operation runs, whose effect stays: whoever runs it holds that too.
  mutating func releaseAllButOperation(to released: inout UniqueArray<P>) {
    guard let program, program.isOperation else { return releaseAll(to: &released) }
    releaseFrames(to: &released)
  }

  private mutating func releaseFrames(to released: inout UniqueArray<P>) {
    while let frame = outer.popLast() { released.append(frame.program) }
  }

  // MARK: Lists

  /// True if nothing that it has done, or will not do, is in its list.
  private func isWhole(before index: Int) -> Bool {
    guard let program else { return true }
    return Int(end) == program.count && program.isPlain(before: index)
  }

  /// The lists that the present one is inside of.
  private mutating func divideFrames(to released: inout UniqueArray<P>) {
    // A frame that has not begun is all to do, and so is each below it: they were left by an earlier wait.
    if outer.isEmpty { return }
    var begun = outer.count
    while begun > 0, outer[begun - 1].cursor > 0 { begun -= 1 }
    guard begun < outer.count else { return }
    // Copied: as long as a slice lives, to remove from the list is to copy all of it.
    let frames = Array(outer[begun...])
    outer.removeSubrange(begun...)
    for frame in frames {
      appendParts(of: frame.program, from: frame.cursor, to: frame.end)
      released.append(frame.program)
    }
  }

  private mutating func divide(_ whole: consuming P, keepingCurrent: Bool, to released: inout UniqueArray<P>) {
    if cursor < end { appendParts(of: whole, from: cursor, to: end) }
    if keepingCurrent {
      program = whole.part(Int(cursor) - 1..<Int(cursor))
      (cursor, end) = (1, 1)
    } else {
      (cursor, end) = (0, 0)
    }
    released.append(whole)
  }

  /// A frame for each effect, and for mutations in a row.
  private mutating func appendParts(of program: P, from start: Int32, to end: Int32) {
    let first = outer.count
    var index = Int(start)
    while index < end {
      let next = index + max(1, program.commits(from: index, to: Int(end)))
      let part = program.part(index..<next)
      // A list inside of it is all of its members.
      outer.append(Frame(program: part, cursor: 0, end: Int32(part.count)))
      index = next
    }
    // The last one is the one that it goes on with.
    if outer.count - first > 1 { outer[first...].reverse() }
  }
}
