extension SimulatedNetwork {
  /// The messages that arrive at a host, in order of arrival.
  ///
  /// Messages wait here, without a limit, until they are read. If there are several readers, each message goes to one
  /// of them. A crash ends the sequence and drops the unread messages.
  ///
  /// **Cancellation.** The sequence ends for a reader whose task is cancelled; the next reader gets the later messages.
  /// So a host may wait for an answer with a timeout, and then continue reading. But if a reader is cancelled, for
  /// example by the timeout, just as it receives a message, that message is lost if the reader's result is dropped.
  public struct Messages: AsyncSequence, Sendable {
    /// The iterator of one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let inbox: Inbox<Envelope>

      /// Returns the next message, or `nil` after a crash, when the simulation's body has ended, or if the task is
      /// cancelled.
      public func next(isolation actor: isolated (any Actor)?) async -> Envelope? {
        await inbox.next(isolation: actor)
      }
    }

    let inbox: Inbox<Envelope>

    /// Creates a reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }
  }
}
