import Foundation
import Hummingbird

extension Response {
  init(status: HTTPResponse.Status = .ok, json value: some Encodable, headers: HTTPFields = [:]) {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      self.init(status: status, jsonText: String(decoding: try encoder.encode(value), as: UTF8.self), headers: headers)
    } catch {
      preconditionFailure("\(type(of: value)) has nothing that JSON can't say: \(error)")
    }
  }

  init(status: HTTPResponse.Status = .ok, jsonText: String, headers: HTTPFields = [:]) {
    self.init(status: status, text: jsonText, type: "application/json; charset=utf-8", headers: headers)
  }

  init(status: HTTPResponse.Status = .ok, text: String, type: String, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.contentType] = type
    headers[.cacheControl] = "no-store"
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
