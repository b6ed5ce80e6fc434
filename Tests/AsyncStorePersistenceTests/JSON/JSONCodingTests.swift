import AsyncStorePersistence
import Foundation
import Testing

@Suite("An encoding as a JSON value")
struct JSONCodingTests {
  enum Suit: String, Codable { case hearts, spades }
  enum Shape: Codable, Equatable { case cycle(radius: Double), square(Int, name: String?), point }

  class Animal: Codable {
    var name = "a"
  }
  final class Dog: Animal {
    var age = 3
    private enum Key: CodingKey { case age }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      age = try container.decode(Int.self, forKey: .age)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(age, forKey: .age)
      try super.encode(to: container.superEncoder())
    }
  }

  struct All: Codable, Equatable {
    var bool = true
    var integers: [Int8] = [-128, 127]
    var unsigned: [UInt] = [0, .max]
    var floats: [Float] = [0.1, -0.0, 1e20]
    var doubles = [0.1, 1e300, .leastNonzeroMagnitude, 3]
    var decimal = Decimal(string: "0.1234567890123456789012345678901234567")
    var text = "a/\"\\\n\u{1}\u{1F600}"
    var date = Date(timeIntervalSinceReferenceDate: 123_456.75)
    var data = Data([0, 1, 255])
    var url = URL(string: "https://example.org/a?b=c")
    var nothing: Int?
    var nested: [String: [Int?]] = ["a": [1, nil], "b": []]
    var numbers = [1: "one", 2: "two"]
    var suits: [Suit] = [.hearts, .spades]
    var shapes: [Shape] = [.cycle(radius: 1.5), .square(2, name: nil), .square(2, name: "x"), .point]
    var range = 1..<5
    var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var character: [Suit: Int] = [.hearts: 1]
  }

  @Test("Encoding as a JSON value matches Foundation's encoder, and Foundation's decoder reads the result")
  func foundation() throws {
    let value = try JSONValue(encoding: All())
    #expect(try value == JSONValue(data: JSONEncoder().encode(All())))

    #expect(try value.decoded(as: All.self) == All())
    #expect(try JSONDecoder().decode(All.self, from: value.data) == All())
    #expect(try JSONValue(encoding: [All(), All()]) == [value, value])
    #expect(try JSONValue(encoding: "a" as String?) == "a")
    #expect(try JSONValue(encoding: nil as String?) == nil)
  }

  @Test("A JSON value contains the properties of superclasses")
  func superclasses() throws {
    let dog = Dog()
    dog.name = "b"
    dog.age = 4
    let value = try JSONValue(encoding: dog)
    #expect(value == ["age": 4, "super": ["name": "b"]])
    let copy = try value.decoded(as: Dog.self)
    #expect((copy.name, copy.age) == ("b", 4))
  }

  @Test("A JSON value has all digits of any integer")
  func integers() throws {
    let (least, most) = (Int128.min, UInt128.max)
    #expect(try JSONValue(encoding: [least]).description == "[\(least)]")
    #expect(try JSONValue(encoding: [least]).decoded() == [least])
    #expect(try JSONValue(encoding: ["a": most]).decoded() == ["a": most])
  }

  @Test(
    "Decoding refuses a number that would become zero",
    arguments: ["1e-400", "-1e-400", "2e-324", "0.1e-999999999999999"])
  func underflow(text: String) throws {
    let value = try JSONValue(data: Data(text.utf8))
    #expect(throws: DecodingError.self) { try value.decoded(as: Double.self) }
    #expect(throws: DecodingError.self) { try value.decoded(as: Float.self) }
    #expect(throws: DecodingError.self) { try value.decoded(as: Date.self) }
    #expect(throws: DecodingError.self) { try value.decoded(as: Decimal.self) }
    #expect(try value.decoded(as: JSONValue.self) == value)
  }

  @Test("Decoding accepts the smallest numbers of a type, and zero however it is written")
  func smallNumbers() throws {
    func value(_ text: String) throws -> JSONValue { try JSONValue(data: Data(text.utf8)) }
    #expect(try value("4.9e-324").decoded(as: Double.self) == .leastNonzeroMagnitude)
    #expect(try value("1e-45").decoded(as: Float.self) == .leastNonzeroMagnitude)
    #expect(throws: DecodingError.self) { try value("1e-46").decoded(as: Float.self) }
    for zero in ["0", "0e-400", "-0.0", "0.00"] { #expect(try value(zero).decoded(as: Double.self) == 0) }
  }

  @Test("A value that a type or JSON does not have is refused, and the error says where it is")
  func refusals() throws {
    for (document, path) in [
      (["integers": [300]], "integers.Index 0"), (["unsigned": [-1]], "unsigned.Index 0"), (["bool": 1], "bool"),
      (["text": nil], "text"), (["numbers": ["1": 2]], "numbers.1"),
    ] as [(JSONValue, String)] {
      guard case .object(let changed) = document, case .object(let all) = try JSONValue(encoding: All()) else { return }
      let value = JSONValue.object(all.merging(changed) { $1 })
      do {
        _ = try value.decoded(as: All.self)
        Issue.record("\(document) was decoded")
      } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context)
      {
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
      }
    }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: [Double.nan]) }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": Float.infinity]) }
    #expect(throws: DecodingError.self) { try (1e5 as JSONValue).decoded(as: UInt8.self) }
    #expect(throws: DecodingError.self) { try JSONValue(data: Data("1e400".utf8)).decoded(as: Double.self) }
  }

  @Test("A JSON value survives Foundation's coders, which throw for what they can't represent")
  func foreign() throws {
    for text in [
      "18446744073709551615", "-9223372036854775808", "0.1", "1e300", "12345678901234567890.123456789", "-0",
    ] {
      let value = try JSONValue(data: Data("[\(text),{\"a\":[null,true,\"x\"]}]".utf8))
      #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value, "\(text)")
    }
    for text in ["1e400", "0.12345678901234567890123456789012345678901234567890", "{\"e\u{301}\":1,\"\u{e9}\":2}"] {
      let value = try JSONValue(data: Data(text.utf8))
      #expect(throws: EncodingError.self, "\(text)") { try JSONEncoder().encode(value) }
      #expect(try JSONValue(encoding: [value]) == [value])
    }
  }

  indirect enum Chain: Codable, Sendable {
    case end
    case link([Chain])
    init(length: Int) { self = (0..<length).reduce(.end) { chain, _ in .link([chain]) } }
  }
  struct Wrapped: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Wrapped())
    }
  }

  struct Nesting: Encodable {
    let write: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try write(encoder) }
  }
  enum NestingKey: String, CodingKey { case a, b, c }

  @Test("The error for a value that can't be encoded has its path, even in nested containers")
  func paths() {
    for (path, write) in [
      (
        "a.b",
        { encoder in
          var outer = encoder.container(keyedBy: NestingKey.self)
          var inner = outer.nestedContainer(keyedBy: NestingKey.self, forKey: .a)
          try inner.encode(Double.nan, forKey: .b)
        }
      ),
      (
        "a.Index 1",
        { encoder in
          var outer = encoder.container(keyedBy: NestingKey.self)
          var inner = outer.nestedUnkeyedContainer(forKey: .a)
          try inner.encode(1)
          try inner.encode([Double.nan])
        }
      ),
      (
        "Index 0.c",
        { encoder in
          var outer = encoder.unkeyedContainer()
          var inner = outer.nestedContainer(keyedBy: NestingKey.self)
          try inner.encode(Double.nan, forKey: .c)
        }
      ),
      (
        "super.a",
        { encoder in
          var outer = encoder.container(keyedBy: NestingKey.self)
          var inner = outer.superEncoder().container(keyedBy: NestingKey.self)
          try inner.encode(Double.nan, forKey: .a)
        }
      ),
      (
        "a",
        { encoder in
          var outer = encoder.container(keyedBy: NestingKey.self)
          try outer.encode(
            Nesting { encoder in
              var inner = encoder.singleValueContainer()
              try inner.encode(
                Nesting { encoder in
                  var inmost = encoder.singleValueContainer()
                  try inmost.encode(Double.nan)
                })
            }, forKey: .a)
        }
      ),
    ] as [(String, (any Encoder) throws -> Void)] {
      do {
        _ = try JSONValue(encoding: Nesting(write: write))
        Issue.record("\(path) was encoded")
      } catch EncodingError.invalidValue(_, let context) {
        let found = context.codingPath.map(\.stringValue).joined(separator: ".")
        #expect(found == path || found == path + ".Index 0")
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test("Encoding refuses values nested deeper than the limit, and takes no more stack for them")
  func depth() async {
    await #expect(processExitsWith: .success) {
      func refuses(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return error is EncodingError }; return false
      }
      precondition(refuses { _ = try JSONValue(encoding: Chain(length: 10_000)) })
      precondition(refuses { _ = try StateDiff(from: Chain(length: 10_000), to: Chain(length: 1)) })
      precondition(refuses { _ = try JSONValue(encoding: Wrapped()) })
      let count = Nightly.count(100_000, otherwise: 20_000)
      let lists = Nesting { encoder in
        var list = encoder.unkeyedContainer()
        for _ in 0..<count { list = list.nestedUnkeyedContainer() }
      }
      precondition(refuses { _ = try JSONValue(encoding: lists) })
      let objects = Nesting { encoder in
        var object = encoder.container(keyedBy: NestingKey.self)
        for _ in 0..<count { object = object.nestedContainer(keyedBy: NestingKey.self, forKey: .a) }
      }
      precondition(refuses { _ = try JSONValue(encoding: objects) })
    }
  }

  /// A value that opens a container of one key twice, as a class does whose superclass has encoded into it.
  private struct Item: Codable, Equatable {
    enum Key: CodingKey { case size, tags }
    enum Size: CodingKey { case width, height }
    var (width, height) = (1, 2)
    var tags = ["a", "b"]

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let size = try container.nestedContainer(keyedBy: Size.self, forKey: .size)
      (width, height) = (try size.decode(Int.self, forKey: .width), try size.decode(Int.self, forKey: .height))
      tags = try container.decode([String].self, forKey: .tags)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Size.self, forKey: .size)
      try first.encode(width, forKey: .width)
      var second = container.nestedContainer(keyedBy: Size.self, forKey: .size)
      try second.encode(height, forKey: .height)
      try container.encode([tags[0]], forKey: .tags)
      var list = container.nestedUnkeyedContainer(forKey: .tags)
      try list.encode(tags[1])
    }
  }

  @Test("A container that is opened twice keeps what it has")
  func containerOpenedTwice() throws {
    let value = try JSONValue(encoding: Item())
    #expect(try value.decoded(as: Item.self) == Item())
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(Item())) == value)
  }

  private struct Silent: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
  }

  private struct Holder: Codable, Equatable {
    var cache = Silent()
    var list = [Silent()]
  }

  @Test("A value within another one may encode nothing")
  func nothingWithin() throws {
    let value = try JSONValue(encoding: Holder())
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(Holder())) == value)
    #expect(try value.decoded(as: Holder.self) == Holder())
    #expect(throws: EncodingError.self) { try JSONValue(encoding: Silent()) }
  }

  private struct Circle: Codable { var radius = 1 }

  /// A value that adds to what it has encoded as a single one.
  private struct Tagged: Encodable {
    enum Key: CodingKey { case type }

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      try single.encode(Circle())
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("circle", forKey: .type)
    }
  }

  private struct Longer: Encodable {
    func encode(to encoder: any Encoder) throws {
      try [1, 2].encode(to: encoder)
      var single = encoder.singleValueContainer()
      try single.encode([1, 2])
      var container = encoder.unkeyedContainer()
      try container.encode(3)
    }
  }

  @Test("A container that follows a single value adds to it")
  func containerAfterSingleValue() throws {
    #expect(try JSONValue(encoding: Tagged()) == ["radius": 1, "type": "circle"])
    #expect(try JSONValue(encoding: Longer()) == [1, 2, 3])
  }
}
