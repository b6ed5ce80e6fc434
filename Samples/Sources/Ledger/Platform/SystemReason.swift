import Foundation

extension Error {
  /// A sentence on what is wrong: the operating system's words, if it is the cause of the error.
  ///
  /// Foundation's own often have only a number.
  var systemReason: String {
    let error = self as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain else { return localizedDescription }
    return String(cString: strerror(Int32(cause.code))) + "."
  }
}
