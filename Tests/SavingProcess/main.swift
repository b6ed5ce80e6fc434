import AsyncStorePersistence
import Foundation
import SavedCounter

// Counts, saves each number, and prints it when it has been saved, until it is killed.

let store = AsyncStore(state: SavedCounter(), env: ())
let persistence = try store.persist(\.self, in: FileStorage(URL(filePath: CommandLine.arguments[1])))
while true {
  store.receive(.set { $0.increment() })
  try persistence.save()
  try FileHandle.standardOutput.write(contentsOf: Data("\(store.number)\n".utf8))
}
