/// Prints a line to the standard error stream.
package func printWarning(_ message: String) { Thread.warn(message) }
