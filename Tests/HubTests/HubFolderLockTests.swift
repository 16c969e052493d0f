import Foundation
import Testing

@testable import Hub

@Suite("HubFolderLock") struct HubFolderLockTests {
    @Test func `a second hub is kept out of a folder until the first is gone`() throws {
        let folder = NSTemporaryDirectory() + "matterhub-lock-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer {
            // Nothing reads the folder after the test.
            try? FileManager.default.removeItem(atPath: folder)
        }
        var first: HubFolderLock? = try HubFolderLock(directory: folder)
        let error = #expect(throws: StoreError.self) { try HubFolderLock(directory: folder) }
        #expect(error?.code == .inUse)
        #expect(first != nil)
        first = nil
        _ = try HubFolderLock(directory: folder)
    }
}
