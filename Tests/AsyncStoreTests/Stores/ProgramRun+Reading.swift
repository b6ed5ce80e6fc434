import AsyncStore
import Observation

/// A record of a read inside Observation's tracking.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class TrackRecord: @unchecked Sendable {
  /// The cells that were read, each with the index of its value in its history.
  var reads: [(store: StoreName, cell: ProgramCell, place: Int)] = []
  /// The number of values that each cell had had when the tracking was installed.
  var installed: [Int] = []
  /// True if something that is not in the list was also read.
  var hasOthers = false
  var fired = 0
}

/// A record of a wait.
///
/// `@unchecked` because only the thread that runs the program touches it.
final class WaitRecord: @unchecked Sendable {
  let store: StoreName
  let cell: ProgramCell
  let remainder: Int
  /// The index of the first value that it saw in the cell's history.
  var start: Int?
  var epoch: Int?
  var isDone = false
  var task: Task<Void, Never>?

  init(_ store: StoreName, _ cell: ProgramCell, _ remainder: Int) {
    (self.store, self.cell, self.remainder) = (store, cell, remainder)
  }
}

extension ProgramRun {
  private func values(_ store: StoreName, _ cell: ProgramCell) -> [Int] { history[store.rawValue][cell.rawValue] }

  // MARK: Tracking

  func track(_ store: StoreName, _ cell: ProgramCell, _ actions: [ProgramAction], _ onChange: [ProgramAction]) {
    let record = TrackRecord()
    withObservationTracking {
      openTracks.append(record)
      let place = values(store, cell).count - 1
      for open in openTracks { open.reads.append((store, cell, place)) }
      let value = self[store][dynamicMember: cell.keyPath]
      if value != values(store, cell).last { witness.report("law 6: a read is not of the last commit") }
      perform(actions)
      openTracks.removeLast()
    } onChange: { [self] in
      record.fired += 1
      noteStack()
      callBack { perform(onChange) }
    }
    record.installed = record.reads.map { values($0.store, $0.cell).count }
    tracks.append(record)
  }

  func trackElement(_ store: StoreName, _ index: Int) {
    for open in openTracks { open.hasOthers = true }
    guard self[store].withState({ $0.list.indices.contains(index) }) else { return }
    let keyPath: KeyPath<ProgramState, Int> & Sendable = \.[element: index]
    withObservationTracking {
      _ = self[store][dynamicMember: keyPath]
    } onChange: {
    }
  }

  /// Law 26: a change after the read is reported, once.
  ///
  /// A change that comes while the tracking's body still runs is reported with the next change at the latest, as for a
  /// hand-written `Observable`.
  func checkTracks() {
    for track in tracks {
      var (isLater, isAny) = (false, false)
      for (read, installed) in zip(track.reads, track.installed) {
        let count = values(read.store, read.cell).count
        isLater = isLater || count > installed
        isAny = isAny || count > read.place + 1
      }
      if isLater, track.fired == 0 { witness.report("law 26: a change after a tracked read is not reported") }
      if !isAny, !track.hasOthers, track.fired > 0 {
        witness.report("law 26: a change is reported though nothing that was read has changed")
      }
      if track.fired > 1 { witness.report("law 26: a change is reported twice") }
    }
  }

  // MARK: Waiting

  func wait(_ store: StoreName, _ cell: ProgramCell, _ remainder: Int, _ actions: [ProgramAction]) {
    let record = WaitRecord(store, cell, remainder)
    waits.append(record)
    record.task = Task(executorPreference: executor) { [self] in
      _ = try? await self[store].wait(for: cell.keyPath) { value in
        self.look(at: value, record, actions)
      }
      record.isDone = true
    }
  }

  private func look(at value: Int, _ record: WaitRecord, _ actions: [ProgramAction]) -> Bool {
    noteStack()
    if record.start == nil {
      record.start = values(record.store, record.cell).lastIndex(of: value)
      record.epoch = isActive[record.store.rawValue] ? epochs[record.store.rawValue] : nil
      perform(actions)
    }
    return value % 3 == record.remainder
  }

  func waitForElement(_ store: StoreName, _ index: Int) {
    guard self[store].withState({ $0.list.indices.contains(index) }) else { return }
    let record = WaitRecord(store, .x, 0)
    waits.append(record)
    let keyPath: KeyPath<ProgramState, Int> & Sendable = \.[element: index]
    record.task = Task(executorPreference: executor) { [self] in
      guard self[store].withState({ $0.list.indices.contains(index) }) else { return }
      _ = try? await self[store].wait(for: keyPath) { _ in false }
    }
  }

  /// A wait returns once a value has been committed that satisfies it, however short it held.
  func checkWaits() {
    for wait in waits where !wait.isDone && wait.epoch == epochs[wait.store.rawValue] {
      guard let start = wait.start else { continue }
      if values(wait.store, wait.cell)[start...].contains(where: { $0 % 3 == wait.remainder }) {
        witness.report("waiting: a value that satisfied a wait was committed, and the wait goes on")
      }
    }
  }
}
