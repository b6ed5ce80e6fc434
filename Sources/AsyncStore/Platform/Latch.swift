#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A gate that opens once; threads wait until it and the gates behind it are open.
///
/// `@unchecked`: the mutex and the condition are POSIX objects at stable addresses, made to be shared among threads,
/// and the rest is touched only while the mutex is locked.
final class Latch: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isOpen = false
  private var followers: [Latch] = []

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    trap(unless: pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(condition, nil) == 0, "no more POSIX mutexes")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Opens the gate.
  ///
  /// - Parameter followers: the gates behind this one.
  func open(followedBy followers: [Latch] = []) {
    pthread_mutex_lock(mutex)
    isOpen = true
    self.followers = followers
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Forgets the gates behind this one, which are open.
  func forgetFollowers() {
    pthread_mutex_lock(mutex)
    followers = []
    pthread_mutex_unlock(mutex)
  }

  /// Waits until the gate is open.
  func wait() {
    // Gates may be behind each other.
    var seen = [ObjectIdentifier(self)]
    var pending = waitForThisOne()
    while let next = pending.popLast() {
      guard !seen.contains(ObjectIdentifier(next)) else { continue }
      seen.append(ObjectIdentifier(next))
      pending += next.waitForThisOne()
    }
  }

  private func waitForThisOne() -> [Latch] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isOpen { pthread_cond_wait(condition, mutex) }
    return followers
  }
}
