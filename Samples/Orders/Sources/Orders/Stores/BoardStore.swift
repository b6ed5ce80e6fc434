import AsyncStore
import Foundation

/// The store of what the page shows.
typealias BoardStore = AsyncStore<Board, Void>

extension BoardStore {
  /// The longest time without an event.
  static var heartbeat: Duration { .seconds(15) }

  /// Binds the board to the stores that it shows.
  ///
  /// The orders change a thousand times a second; the board follows at most ten times. Where nothing changes, its event
  /// is renewed from time to time: a page that has gone without a word is noticed only by what is sent to it.
  func follow(_ orders: OrderStore, _ stock: StockStore, _ till: TillStore) {
    let read = Effect.task {
      let (book, stock, till) = (orders.state, stock.state, till.state)
      return .concatenate(
        .set { board in (board.orders, board.stock, board.till) = (book, stock, till) }, .render)
    }
    .throttle(for: .milliseconds(100), id: "follow")
    bind(id: "orders", to: orders, on: \.revision) { _ in read }
    bind(id: "stock", to: stock, on: \.items) { _ in read }
    bind(id: "till", to: till, on: \.balance) { _ in read }
    receive(.timer(Self.heartbeat, id: "heartbeat") { _ in .set { $0.event.number += 1 } })
  }
}

extension BoardStore.Effect {
  /// Writes the board as an event, once for all who read it, one after the other: an older board never comes late.
  static var render: Self {
    .read { board in
      .task {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(board), as: UTF8.self)
        return .set { board in
          if board.event.json != json { board.event = BoardEvent(number: board.event.number + 1, json: json) }
        }
      }
    }
    // One that finds another one waiting is dropped, because that one will read the newest board.
    .id("render", .queue(capacity: 1))
  }
}
