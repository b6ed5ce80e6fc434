import Foundation
import Testing

@testable import Orders

@Suite("The book of orders")
struct OrderBookTests {
  @Test("The order book reuses no number, even if the newest order was closed first and forgotten")
  func numbers() {
    var book = OrderBook()
    book.memory = 1
    // The numbers between were refused as busy.
    for id in [1, 2, 3, 9] { book.accept(Order(id: id, .lamps)) }
    for id in [9, 1, 2, 3] { book.close(id, as: .done) }
    #expect(book[9] == nil && book.lastNumber == 9)
  }

  @Test("The order book keeps the newest closed orders, for any limit", arguments: [0, 1, 2, .max])
  func memory(kept: Int) {
    var book = OrderBook()
    book.memory = kept
    for id in 1...9 {
      book.accept(Order(id: id, .lamps))
      book.close(id, as: .done)
    }
    #expect(book.closed.count >= min(kept, 9) && book.closed.count / 2 <= kept)
    #expect(book.closed.map(\.id) == Array((1...9).suffix(book.closed.count)))
  }

  @Test("An order book read from a file without a largest number takes it from its orders")
  func earlierVersion() throws {
    var book = OrderBook()
    book.accept(Order(id: 7, .lamps))
    var json = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(book)) as? [String: Any])
    json["largestNumber"] = nil
    let read = try JSONDecoder().decode(OrderBook.self, from: JSONSerialization.data(withJSONObject: json))
    #expect(read.open == book.open && read.lastNumber == 7)
  }
}
