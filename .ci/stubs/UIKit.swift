// The few declarations of UIKit that clients of the library use, so that the guides' code can be type-checked elsewhere.
import Foundation

@MainActor
open class UIApplication {
  public nonisolated class var didEnterBackgroundNotification: NSNotification.Name {
    fatalError("a stub is type-checked and never run")
  }
}
