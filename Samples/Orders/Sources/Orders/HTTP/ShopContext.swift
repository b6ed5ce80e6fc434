import Hummingbird
import NIOCore

/// What belongs to one request: as usual, and the connection that it came by.
struct ShopContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
