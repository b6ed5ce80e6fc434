/// Releasing of effects: a waiting fiber holds only the effects that it still has to run.
///
/// An effect is a tree, and a reference to one of its nodes holds everything below it, including the captures of users'
/// closures. So a fiber that begins to wait releases each list that it is in the middle of, and continues with parts
/// for the rest of the list. It releases an effect that encloses others when those begin, and keeps a description. It
/// keeps a retry, which may begin again. A list stays whole if at most four effects precede the one that the fiber
/// waits at, and none of them holds anything. Nearly all waiting fibers have such a list.
///
/// These methods work on the fiber in place, because going through the machine's table would look it up at each step.
extension Fiber {
  /// Releases the current effect, which continues in other fibers or in this fiber's activity, and keeps a description.
  mutating func releaseEffect(to released: inout ReleasedParts<P>) {
    guard cursor > 0, let whole = program.take() else { return }
    leftEffect = P.withoutReferences(whole.description(at: Int(cursor) - 1))
    release(consume whole, to: &released)
  }

  /// Releases the current effect of a fiber that instruments don't see and that now only holds its only child.
  mutating func releaseEffectWithoutDescription(to released: inout ReleasedParts<P>) {
    guard let whole = program.take() else { return }
    release(consume whole, to: &released)
  }

  private mutating func release(_ whole: consuming P, to released: inout ReleasedParts<P>) {
    // Nearly every fiber that waits has no frames.
    if !outer.isEmpty { divideFrames(to: &released) }
    divide(consume whole, keepingCurrent: false, to: &released)
  }

  /// Releases the finished effects but keeps the current one, which the fiber needs until that effect is over.
  mutating func keepEffect(to released: inout ReleasedParts<P>) {
    divideFrames(to: &released)
    divideUnlessWhole(before: Int(cursor) - 1, keepingCurrent: true, to: &released)
  }

  /// Releases the finished effects but keeps the next one, which waits for the actor that commits happen on.
  mutating func keepNextEffect(to released: inout ReleasedParts<P>) {
    divideFrames(to: &released)
    divideUnlessWhole(before: Int(cursor), keepingCurrent: false, to: &released)
  }

  /// Releases all effects of a fiber that was cancelled or that stays only for other fibers, so that it has nothing
  /// left to run.
  mutating func releaseAll(to released: inout ReleasedParts<P>) {
    if cursor > 0, let program {
      leftEffect = P.withoutReferences(program.description(at: Int(cursor) - 1))
    }
    releaseFrames(to: &released)
    if let program = program.take() { released.append(program) }
    (cursor, end) = (0, 0)
  }

  /// Releases everything except the effect of a running operation, which the operation's runner holds too.
  mutating func releaseAllButOperation(to released: inout ReleasedParts<P>) {
    guard let program, program.isOperation else { return releaseAll(to: &released) }
    releaseFrames(to: &released)
  }

  private mutating func releaseFrames(to released: inout ReleasedParts<P>) {
    while let frame = outer.popLast() { released.append(frame.program) }
  }

  // MARK: Lists

  /// Divides the list, unless it can stay whole because no effect that is finished or will not run needs a release.
  private mutating func divideUnlessWhole(
    before index: Int, keepingCurrent: Bool, to released: inout ReleasedParts<P>
  ) {
    // Moving the program out and back counts no reference.
    guard let whole = program.take() else { return }
    if Int(end) == whole.count, whole.isPlain(before: index) {
      program = consume whole
    } else {
      divide(consume whole, keepingCurrent: keepingCurrent, to: &released)
    }
  }

  /// Divides the lists around the current one.
  private mutating func divideFrames(to released: inout ReleasedParts<P>) {
    if outer.isEmpty { return }
    // A frame that has not begun still has everything to do. So does each frame below it, because an earlier wait
    // divided those.
    var begun = outer.count
    while begun > 0, outer[begun - 1].cursor > 0 { begun -= 1 }
    guard begun < outer.count else { return }
    // Copied, because removing elements while a slice is alive would copy the whole list.
    let frames = ContiguousArray(outer[begun...])
    outer.removeSubrange(begun...)
    for frame in frames {
      appendParts(of: frame.program, from: frame.cursor, to: frame.end)
      released.append(frame.program)
    }
  }

  private mutating func divide(_ whole: consuming P, keepingCurrent: Bool, to released: inout ReleasedParts<P>) {
    if cursor < end { appendParts(of: whole, from: cursor, to: end) }
    if keepingCurrent {
      program = whole.part(Int(cursor) - 1..<Int(cursor))
      (cursor, end) = (1, 1)
    } else {
      (cursor, end) = (0, 0)
    }
    released.append(consume whole)
  }

  /// Appends a frame for each effect, and one for mutations in a row.
  private mutating func appendParts(of program: P, from start: Int32, to end: Int32) {
    let first = outer.count
    var index = Int(start)
    while index < end {
      let next = index + max(1, program.commits(from: index, to: Int(end)))
      let part = program.part(index..<next)
      // A nested list stands for all of its members.
      outer.append(Frame(program: part, cursor: 0, end: Int32(part.count)))
      index = next
    }
    // The fiber continues with the last frame.
    outer.reverseByMoving(from: first)
  }
}
