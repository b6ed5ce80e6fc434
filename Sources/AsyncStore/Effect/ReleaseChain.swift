import CAsyncStore

/// Frees chains of effects whose operations hold the next effect, in constant stack.
///
/// Such a chain can't be taken apart from outside, because a closure does not reveal what it holds. So while a thread
/// frees a node's closure, it keeps back the closures of the nodes that are freed with it, and frees them one after the
/// other when the first is done.
enum ReleaseChain {
  /// An object that keeps a closure back.
  class Link {
    /// The one that was kept back before, which this one owns a reference to.
    fileprivate var next: UnsafeMutableRawPointer?
  }

  /// Releases a closure now, or keeps it to be released later on.
  ///
  /// - Parameters:
  ///   - link: puts the closure into an object of its own.
  ///   - release: releases it if it was not kept, before it returns. It must not be inlined, or the optimiser may free
  ///     the closure later, when nothing is kept back any more.
  @inline(__always)
  static func release(link: () -> Link, _ release: () -> Void) {
    let thread = Thread.record
    if thread.pointee.isReleasing {
      keep(link())
      release()
      return
    }
    thread.pointee.isReleasing = true
    release()
    if thread.pointee.lastKept != nil { releaseKept() }
    thread.pointee.isReleasing = false
  }

  @inline(never)
  private static func keep(_ link: Link) {
    link.next = Thread.record.pointee.lastKept
    Thread.record.pointee.lastKept = Unmanaged.passRetained(link).toOpaque()
  }

  @inline(never)
  private static func releaseKept() {
    while let last = Thread.record.pointee.lastKept {
      let link = Unmanaged<Link>.fromOpaque(last)
      Thread.record.pointee.lastKept = link._withUnsafeGuaranteedRef { $0.next }
      link.release()
    }
  }
}
