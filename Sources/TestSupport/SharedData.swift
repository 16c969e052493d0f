public import Foundation

/// The facts and third-party test data that lie beside some checkouts, in `<package root>/../shared/matter`.
///
/// They are not part of the project: a suite over them carries `.enabled(if: SharedData.isPresent)`, and has
/// a sibling over data that the project makes itself.
public enum SharedData {
    /// The folder; `nil` in a checkout that has none beside it.
    public static let folder: URL? = {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.deletingLastPathComponent().appendingPathComponent("shared/matter", isDirectory: true)
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Whether this checkout has the folder.
    public static var isPresent: Bool { folder != nil }

    /// The bytes of a file, for example `credentials/index.json`; `nil` without the folder.
    ///
    /// Traps when the folder is there and the file is not, or is empty.
    public static func bytes(_ path: String) -> [UInt8]? {
        guard let folder else { return nil }
        do {
            let data = try Data(contentsOf: folder.appendingPathComponent(path))
            guard !data.isEmpty else { throw VectorError.empty(path) }
            return [UInt8](data)
        } catch {
            fatalError("shared data \(path): \(error)")
        }
    }

    /// Decodes a JSON file, for example `vectors/certs.json`; `nil` without the folder.
    ///
    /// Traps when the folder is there and the file is missing, empty or of another shape.
    public static func load<Value: Decodable>(_ type: Value.Type = Value.self, _ path: String) -> Value? {
        guard let folder else { return nil }
        do {
            return try Vectors.decode(type, from: folder.appendingPathComponent(path))
        } catch {
            fatalError("shared data \(path): \(error)")
        }
    }
}
