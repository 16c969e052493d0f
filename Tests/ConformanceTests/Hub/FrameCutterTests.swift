import HubControl
import TestSupport
import Testing

@testable import Conformance

@Suite("FrameCutter")
struct FrameCutterTests {
    private func bytes(_ pieces: [FrameCutter.Piece]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .bytes(let bytes): bytes
            case .frame(let frame): frame.encoded()
            }
        }
    }

    @Test func `preface and frames are cut, however they arrive`() {
        let frames = [
            ControlFrame(kind: .hello, payload: Array("{\"client\":\"x\"}".utf8)),
            ControlFrame(kind: .ping, flags: 3, payload: []), ControlFrame(kind: .init(rawValue: 99), payload: [1, 2]),
        ]
        let stream = ControlPreface.bytes + frames.flatMap { $0.encoded() }
        for size in [1, 2, 5, 7, stream.count] {
            var cutter = FrameCutter(maximumPayload: 100)
            var pieces: [FrameCutter.Piece] = []
            for start in Swift.stride(from: 0, to: stream.count, by: size) {
                pieces += cutter.append(Array(stream[start..<min(start + size, stream.count)]))
            }
            #expect(bytes(pieces) == stream)
            let cut = pieces.compactMap { piece in if case .frame(let frame) = piece { frame } else { nil } }
            #expect(cut == frames)
        }
    }

    @Test func `what is no preface, or too long a payload, goes on as it is`() {
        var garbage = FrameCutter(maximumPayload: 100)
        #expect(bytes(garbage.append(Array("MHUX".utf8)) + garbage.append([9, 8])) == Array("MHUX".utf8) + [9, 8])
        var long = FrameCutter(maximumPayload: 3, preface: false)
        let stream: [UInt8] = [0, 0, 0, 4, 3, 0, 1]
        #expect(bytes(long.append(stream) + long.append([2, 3, 4])) == stream + [2, 3, 4])
    }

    @Test func `whatever comes, nothing is lost and nothing is added`() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var stream = ControlPreface.bytes
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let payload = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                stream += ControlFrame(kind: .init(rawValue: .random(in: 0...12, using: &random)), payload: payload)
                    .encoded()
            }
            if Bool.random(using: &random), let index = stream.indices.randomElement(using: &random) {
                stream[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            var cutter = FrameCutter(maximumPayload: 16)
            var out: [UInt8] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                out += bytes(cutter.append(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
            // What is left waits for the rest of its frame.
            #expect(stream.starts(with: out), "seed \(seed)")
            #expect(stream.count - out.count <= ControlFrame.headerLength + 16, "seed \(seed)")
        }
    }
}
