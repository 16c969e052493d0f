package import Foundation
import TestSupport

extension FuzzTarget {
    /// The folder `Tests` of this checkout.
    package static let testsFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every seed: of the vector files and of our encoders, without those that are too long, each once.
    ///
    /// - Throws: for a vector file that is missing, or has nothing that can be a seed.
    package func seeds() throws -> [[UInt8]] {
        var seeds = try made()
        for file in vectors {
            let data = try Data(contentsOf: Self.testsFolder.appendingPathComponent(file))
            let found = Self.strings(try JSONSerialization.jsonObject(with: data)).compactMap { text in
                form == .hex ? [UInt8](validatingHex: text) : Array(text.utf8)
            }
            guard !found.isEmpty else { throw VectorError.empty(file) }
            seeds += found
        }
        var seen: Set<[UInt8]> = []
        return seeds.filter { $0.count <= maximumLength && seen.insert($0).inserted }
    }

    /// The folder with the inputs that once showed a fault, and stay.
    package var regressions: [URL] {
        let folder = Self.testsFolder.appendingPathComponent("FuzzTests/Vectors/\(name)")
        // Most targets have none.
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).sorted { $0.path < $1.path }
    }

    private static func strings(_ json: Any) -> [String] {
        switch json {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let object as [String: Any]:
            object.sorted { $0.key < $1.key }.flatMap { strings($0.value) }
        default: []
        }
    }
}
