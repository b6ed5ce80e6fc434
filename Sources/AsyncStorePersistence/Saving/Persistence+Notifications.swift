import Foundation

extension Persistence {
  /// Saves the state whenever a notification is posted, before its poster continues.
  ///
  /// Use it for an app that goes to the background, where it may be terminated without further notice:
  /// `persistence.startSaving(on: UIApplication.didEnterBackgroundNotification)`. A scheduled save might come too late.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// let file = FileStorage(folder.appending(path: "tally.state"))
  /// let tally = AsyncStore(state: Tally(), env: ())
  /// let persistence = try tally.persist(\.self, in: file, saving: .onDemand)
  /// let ending = Notification.Name("ending")
  /// let saving = persistence.startSaving(on: ending)
  /// tally.send(.add(3))
  /// NotificationCenter.default.post(name: ending, object: nil)
  /// saving.stop()
  /// persistence.stop()
  /// let restored = AsyncStore(state: Tally(), env: ())
  /// try restored.persist(\.self, in: file)
  /// // restored.count == 3
  /// ```
  ///
  /// - Parameters:
  ///   - name: the notification, posted by any object.
  ///   - center: the center that it is posted to.
  ///   - onFailure: called with the error of a save that fails; by default the error is only kept in ``lastFailure``.
  ///     It runs, like the save, on the thread that posts the notification.
  /// - Returns: an object that ends the saving. If the object is dropped, each notification saves, even after
  ///   ``stop()``.
  @discardableResult
  public func startSaving(
    on name: Notification.Name, from center: NotificationCenter = .default,
    onFailure: @escaping @Sendable (PersistenceError) -> Void = { _ in }
  ) -> NotificationSaving {
    let observer = center.addObserver(forName: name, object: nil, queue: nil) { _ in
      do {
        try save()
      } catch let error as PersistenceError {
        onFailure(error)
      } catch {
        preconditionFailure("saving threw an error that is not a PersistenceError: \(error)")
      }
    }
    return NotificationSaving(center: center, observer: observer)
  }
}

/// Saving on a notification, begun by ``Persistence/startSaving(on:from:onFailure:)``.
///
/// `@unchecked` because the observer is an opaque token, which nobody changes, and which the center accepts on any
/// thread.
public struct NotificationSaving: @unchecked Sendable {
  fileprivate let center: NotificationCenter
  fileprivate let observer: any NSObjectProtocol

  /// Ends the saving; a second call does nothing.
  public func stop() { center.removeObserver(observer) }
}
