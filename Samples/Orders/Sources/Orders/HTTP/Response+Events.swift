import AsyncStore
import Hummingbird
import NIOCore
import ServiceLifecycle

extension Response {
  /// A stream of server-sent events, one for each change of the board.
  ///
  /// A slow reader gets fewer: only the newest waits for it. The stream ends with the service; otherwise an open page
  /// would keep the server from shutting down. A client that does not even read the end is disconnected.
  init(events board: BoardStore, by channel: any Channel) {
    self.init(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await withGracefulShutdownHandler {
          for await event in board.values(of: \.event, buffering: .newest(1)).cancelOnGracefulShutdown()
          where event.number > 0 {
            try await writer.write(ByteBuffer(string: "id: \(event.number)\ndata: \(event.json)\n\n"))
          }
          try await writer.finish(nil)
        } onGracefulShutdown: {
          channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
      })
  }
}
