import Foundation
import GoogleHomeSDK

/// What became of the run, in words and for machines.
struct Outcome: Encodable {
    struct Device: Encodable {
        let id: String
        let name: String
        let room: String?
        let isNew: Bool
    }

    let structure: String
    let ids: [String]
    let devices: [Device]

    var json: String { SeedApp.text(of: self) }

    var words: String {
        let list = devices.map { device in
            "  \(device.id)  \(device.name)" + (device.room.map { " in \($0)" } ?? "") + (device.isNew ? "  (new)" : "")
        }
        return "Added to \(structure): \(ids.joined(separator: ", "))\nThe home's devices:\n"
            + list.joined(separator: "\n")
    }
}

/// Why nothing was added: the error that the app saw, and those under it.
struct Failure: Encodable {
    struct Layer: Encodable {
        let domain: String
        let code: Int
        let message: String
    }

    let error: [Layer]
    private let home: HomeError?

    init(_ error: Error) {
        var layers: [Layer] = [], home: HomeError?, next: Error? = error
        while let current = next, layers.count < 10 {
            if home == nil { home = current as? HomeError }
            let bridged = current as NSError
            layers.append(Layer(domain: bridged.domain, code: bridged.code, message: current.localizedDescription))
            next = bridged.userInfo[NSUnderlyingErrorKey] as? Error
        }
        self.error = layers
        self.home = home
    }

    enum CodingKeys: String, CodingKey { case error }

    var json: String { SeedApp.text(of: self) }

    var words: String {
        error.enumerated().map { level, layer in
            String(repeating: "  ", count: level) + "\(layer.message) (\(layer.domain) \(layer.code))"
        }.joined(separator: "\n")
    }

    var status: Int32 {
        if error.contains(where: { $0.domain == NSCocoaErrorDomain && $0.code == CocoaError.userCancelled.rawValue }) {
            return 130
        }
        let codes = error.filter { $0.domain == HomeError.errorDomain }.map(\.code)
        switch home?.code.rawValue ?? codes.first {
        case HomeError.Code.permissionDenied.rawValue, HomeError.Code.unauthenticated.rawValue: return 3
        case HomeError.Code.unavailable.rawValue: return 4
        case HomeError.Code.deadlineExceeded.rawValue: return 5
        default: return 1
        }
    }
}

extension SeedApp {
    static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "{}" }  // strings and numbers always encode
        return String(decoding: data, as: UTF8.self)
    }
}
