import Dispatch
import Foundation

/// The target that `MATTERHUB_FUZZ_TARGET` names.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["MATTERHUB_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else { fatalError("MATTERHUB_FUZZ_TARGET is “\(name)”, no target") }
    return target
}()

/// Called by libFuzzer once; with `MATTERHUB_FUZZ_SEEDS=FOLDER` it writes every target's seeds and a list, and leaves.
@_cdecl("LLVMFuzzerInitialize") public func fuzzInitialize(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["MATTERHUB_FUZZ_SEEDS"] else { return 0 }
    do {
        for target in FuzzTarget.all {
            let place = URL(fileURLWithPath: folder).appendingPathComponent(target.name)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (number, seed) in try target.seeds().enumerated() {
                try Data(seed).write(to: place.appendingPathComponent("seed-\(number)"))
            }
        }
        let list = FuzzTarget.all.map { "\($0.name)\t\($0.maximumLength)\t\($0.summary)\n" }.joined()
        try Data(list.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent("targets.tsv"))
        exit(0)
    } catch {
        fatalError("no seeds: \(error)")
    }
}

/// Called by libFuzzer with each input; a failed check ends the process, so that libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    // This is libFuzzer's own thread, none of the pool's: it may block.
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            _ = try await chosen.check(input)
        } catch {
            fatalError("\(chosen.name): \(error)")
        }
        done.signal()
    }
    done.wait()
    return 0
}
