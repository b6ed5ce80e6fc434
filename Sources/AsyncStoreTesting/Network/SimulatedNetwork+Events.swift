import AsyncStore
import Synchronization

extension SimulatedNetwork {
  /// Something that happened in the network.
  public struct Event: Sendable, CustomStringConvertible {
    /// The kind of the event.
    ///
    /// More kinds may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      /// The name of the kind.
      public let description: String

      /// A host has sent a message.
      public static var sent: Self { Self(description: "sent") }
      /// A message has arrived.
      public static var delivered: Self { Self(description: "delivered") }
      /// A message is lost: by chance, in a partition, because its receiver is down, or because it was addressed to an
      /// earlier life of its sender.
      public static var lost: Self { Self(description: "lost") }
      /// A message will be delivered twice.
      public static var duplicated: Self { Self(description: "duplicated") }
      /// A host has started.
      public static var started: Self { Self(description: "started") }
      /// A host has crashed.
      public static var crashed: Self { Self(description: "crashed") }
      /// Links were cut.
      public static var partitioned: Self { Self(description: "partitioned") }
      /// Links were restored.
      public static var healed: Self { Self(description: "healed") }
      /// A host has made a remark.
      public static var noted: Self { Self(description: "noted") }
    }

    /// The simulation's time.
    public let time: TestClock.Instant
    /// The kind of the event.
    public let kind: Kind
    /// The host of the event; for a message the sender, for a partition or its healing the first host.
    public let host: String
    /// The receiver of a message.
    public let receiver: String?
    /// The message.
    public let message: Message?
    /// The number of the message, from 1; all events of one message have the same number.
    public let number: Int?
    /// The remark, the reason why a message is lost, or the links.
    public let text: String?

    /// The event in one line, such as `a to b: vote, lost (partition)`.
    public var description: String {
      let detail = text.map { " (\($0))" } ?? ""
      if let receiver, let message { return "\(host) to \(receiver): \(message), \(kind)\(detail)" }
      switch kind {
      case .noted: return "\(host): \(text ?? "")"
      case .partitioned, .healed: return "\(kind): \(text ?? "")"
      default: return "\(host) \(kind)\(detail)"
      }
    }
  }

  /// All events so far, in order.
  ///
  /// - Complexity: linear in the number of events.
  public var events: [Event] { state.withLock { $0.events } }

  func note(
    _ kind: Event.Kind, _ host: String, to receiver: String? = nil, _ message: Message? = nil, _ number: Int? = nil,
    text: String? = nil
  ) {
    let event = Event(
      time: simulation.clock.now, kind: kind, host: host, receiver: receiver, message: message, number: number,
      text: text)
    state.withLock { $0.events.append(event) }
    simulation.tell("\(event)")
  }
}
