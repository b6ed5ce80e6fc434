// The guide "Coming from SwiftDux": saving when the app goes to the background.
import AsyncStore
import AsyncStorePersistence
import UIKit

@MainActor
func saveInBackground(_ persistence: Persistence) -> NotificationSaving {
  persistence.startSaving(on: UIApplication.didEnterBackgroundNotification)
}

func saveInBackgroundFromAnywhere(_ persistence: Persistence) {
  persistence.startSaving(on: UIApplication.didEnterBackgroundNotification) { error in print(error) }
}
