public import Foundation

/// Loads the JSON vector files of a test target and stops the run when there is nothing in them.
public enum Vectors {
    /// Decodes `Tests/<Target>/Vectors/<file>` of the test target that holds the calling source file.
    ///
    /// Traps with the path and the reason when the file is missing, is no JSON of this type, or has no row
    /// (an empty array): a vector suite over nothing must not pass.
    ///
    /// - Parameter file: name within `Vectors`, with its ending, for example `tlv.json`.
    public static func load<Value: Decodable>(
        _ type: Value.Type = Value.self, _ file: String, filePath: String = #filePath
    ) -> Value {
        do {
            return try decode(type, from: folder(beside: filePath).appendingPathComponent(file))
        } catch {
            fatalError("vectors \(file): \(error)")
        }
    }

    /// The bytes of `Tests/<Target>/Vectors/<file>`; traps when the file is missing or empty.
    public static func bytes(_ file: String, filePath: String = #filePath) -> [UInt8] {
        do {
            let data = try Data(contentsOf: folder(beside: filePath).appendingPathComponent(file))
            guard !data.isEmpty else { throw VectorError.empty(file) }
            return [UInt8](data)
        } catch {
            fatalError("vectors \(file): \(error)")
        }
    }

    /// Decodes one JSON file.
    ///
    /// - Throws: ``VectorError`` `empty` when the file or its outermost array is empty; file and decoding errors as they are.
    public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from file: URL) throws -> Value {
        let data = try Data(contentsOf: file)
        guard !data.isEmpty else { throw VectorError.empty(file.path) }
        let value = try JSONDecoder().decode(type, from: data)
        if let rows = value as? any Collection, rows.isEmpty { throw VectorError.empty(file.path) }
        return value
    }

    /// The `Vectors` folder of the test target that `filePath` is part of: beside the file or in a folder above it.
    ///
    /// - Throws: ``VectorError`` `noFolder` when no folder above holds one.
    static func folder(beside filePath: String) throws -> URL {
        var folder = URL(fileURLWithPath: filePath).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("Vectors", isDirectory: true)
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            if folder.lastPathComponent == "Tests" { break }
            folder.deleteLastPathComponent()
        }
        throw VectorError.noFolder(filePath)
    }
}

/// Why vectors could not be used.
public enum VectorError: Error, Hashable, Sendable {
    /// The file, or the list in it, has nothing in it; the path.
    case empty(String)
    /// No `Vectors` folder is above this source file.
    case noFolder(String)
}
