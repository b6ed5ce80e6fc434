extension SimulatedNetwork {
  /// The messages that arrive at a host, in the order of their arrival.
  ///
  /// They wait here, without a limit, until they are read; each message goes to one of several readers. A crash ends
  /// the sequence and drops the messages that were not read.
  ///
  /// **Cancellation.** The sequence ends for a reader whose task is cancelled; the next reader gets the messages that
  /// follow. So a host may wait for an answer with a timeout, and then read on. But a reader that is cancelled, by the
  /// timeout for example, just as it is handed a message loses that message if the reader's result is dropped.
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

    /// Makes a reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }
  }
}
