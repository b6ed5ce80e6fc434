/// The fibers that a pass has still to step while other threads have the lock.
final class Suspension {
  var ready = UniqueArray<FiberID>()
  let resumption: PassResumption

  init(_ resumption: PassResumption) { self.resumption = resumption }
}
