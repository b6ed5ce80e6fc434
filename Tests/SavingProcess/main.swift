import AsyncStorePersistence
import Foundation
import SavedCounter

// Counts, saves each number, and prints it when it has been saved, until it is killed, or as often as it is told to. A
// number that can't be saved is taken back, and the one before it saved in its place.

let store = AsyncStore(state: SavedCounter(), env: ())
let file = FileStorage(URL(filePath: CommandLine.arguments[1]))
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) : nil
do {
  let persistence = try store.persist(\.self, in: file, saving: .onDemand)
  var round = 0
  while round != rounds {
    round += 1
    let before = store.state
    store.receive(.set { $0.increment() })
    do {
      try persistence.save()
    } catch {
      store.receive(.set { $0 = before })
      try persistence.save()
    }
    try FileHandle.standardOutput.write(contentsOf: Data("\(store.number)\n".utf8))
  }
} catch {
  try FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
  exit(1)
}
