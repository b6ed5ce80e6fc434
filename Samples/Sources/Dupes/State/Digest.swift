import Crypto

/// The SHA-256 of some bytes.
///
/// Nobody has ever found two different texts with the same one, so files with the same digest count as equal.
struct Digest: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ digest: SHA256Digest) { bytes = Array(digest) }

  init(of bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

  var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
