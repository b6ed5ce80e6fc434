import AsyncStore
import Hummingbird
import ServiceLifecycle

extension Response {
  /// A stream of server-sent events, one for each change of the board.
  ///
  /// A slow reader gets fewer: only the newest waits for it. The stream ends with the service, or the server could not
  /// shut down as long as a page is open.
  init(events board: BoardStore) {
    self.init(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        for await event in board.values(of: \.event, buffering: .newest(1)).cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(string: "id: \(event.number)\ndata: \(event.json)\n\n"))
        }
        try await writer.finish(nil)
      })
  }
}
