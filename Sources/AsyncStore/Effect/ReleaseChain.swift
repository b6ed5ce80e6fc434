import CAsyncStore

/// Frees chains of effects whose operations hold the next effect, in constant stack.
///
/// Such a chain can't be taken apart from outside, because a closure does not reveal its captures. So while a thread
/// frees a node's closure, it keeps the closures of the nodes that are freed with it, and frees them one by one when
/// the first is done.
enum ReleaseChain {
  /// An object that keeps a closure.
  class Link {
    /// The link that was kept before this one, which owns a reference to it.
    fileprivate var next: UnsafeMutableRawPointer?
  }

  /// Releases a closure now, or keeps it for later.
  ///
  /// - Parameters:
  ///   - link: puts the closure into an object of its own.
  ///   - release: releases the closure before it returns, unless the closure was kept. It must not be inlined, or the
  ///     optimizer may free the closure later, when closures are no longer kept.
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
    // The list owns the link until `releaseKept` releases it.
    Thread.record.pointee.lastKept = Unmanaged.passRetained(link).toOpaque()
  }

  @inline(never)
  private static func releaseKept() {
    while let last = Thread.record.pointee.lastKept {
      // `keep` retained the link; this loop releases it.
      let link = Unmanaged<Link>.fromOpaque(last)
      Thread.record.pointee.lastKept = link._withUnsafeGuaranteedRef { $0.next }
      link.release()
    }
  }
}
