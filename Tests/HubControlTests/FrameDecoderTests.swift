import HubControl
import TestSupport
import Testing

@Suite("Frames (hub-control.md §1)") struct FrameDecoderTests {
    let frames = [
        ControlFrame(kind: .hello, payload: Array(#"{"client":"x"}"#.utf8)),
        ControlFrame(kind: .ping, payload: []),
        ControlFrame(kind: .init(rawValue: 200), flags: 0xFF, payload: [UInt8](repeating: 7, count: 300)),
        ControlFrame(kind: .request, payload: Array("{}".utf8)),
    ]

    var stream: [UInt8] { ControlPreface.bytes + frames.flatMap { $0.encoded() } }

    @Test func `a frame is length, kind, flags and payload`() {
        let frame = ControlFrame(kind: .goaway, flags: 1, payload: [0xAA, 0xBB])
        #expect(frame.encoded().hex == "00000002" + "08" + "01" + "aabb")
        #expect(ControlPreface.bytes.hex == "4d48554201")
    }

    @Test func `the first byte tells TLS from plain from garbage`() {
        #expect(ControlPreface.opening(firstByte: 0x16) == .tls)
        #expect(ControlPreface.opening(firstByte: 0x4D) == .plain)
        #expect((0...255 as ClosedRange<UInt8>).count { ControlPreface.opening(firstByte: $0) == .garbage } == 254)
    }

    @Test func `frames come out whole, whatever two pieces the stream comes in`() throws {
        let stream = stream
        for cut in 0...stream.count {
            var decoder = FrameDecoder(reading: .client)
            decoder.append(stream[..<cut])
            var out: [ControlFrame] = []
            while let frame = try decoder.next() { out.append(frame) }
            decoder.append(stream[cut...])
            while let frame = try decoder.next() { out.append(frame) }
            #expect(out == frames, "cut at \(cut)")
            #expect(decoder.isBetweenFrames)
        }
    }

    @Test func `frames come out whole, byte by byte`() throws {
        var decoder = FrameDecoder(reading: .client)
        var out: [ControlFrame] = []
        for byte in stream {
            decoder.append([byte])
            while let frame = try decoder.next() { out.append(frame) }
        }
        #expect(out == frames)
    }

    @Test func `the stream may not end inside a frame`() throws {
        var decoder = FrameDecoder(reading: .hub)
        #expect(decoder.isBetweenFrames)
        decoder.append(frames[0].encoded().dropLast())
        #expect(try decoder.next() == nil)
        #expect(!decoder.isBetweenFrames)
    }

    @Test func `a length beyond the limit is refused before a byte of the payload`() throws {
        var decoder = FrameDecoder(reading: .hub, maximumPayload: 16)
        decoder.append(ControlFrame(kind: .event, payload: [UInt8](repeating: 1, count: 16)).encoded())
        #expect(try decoder.next()?.payload.count == 16)
        decoder.append([0, 0, 0, 17, 5])
        #expect(try decoder.next() == nil)
        decoder.append([0])
        let error = ControlProtocolError(.payloadTooLong(length: 17, limit: 16), offset: 22)
        #expect(throws: error) { try decoder.next() }
        #expect(error.goaway.code == .resourceExhausted)
        decoder.append([UInt8](repeating: 0, count: 100))
        #expect(throws: error) { try decoder.next() }
    }

    @Test func `the protocol's limit is one mebibyte`() throws {
        var decoder = FrameDecoder(reading: .hub)
        decoder.append([0x00, 0x10, 0x00, 0x00, 3, 0])
        #expect(try decoder.next() == nil)
        decoder = FrameDecoder(reading: .hub)
        decoder.append([0x00, 0x10, 0x00, 0x01, 3, 0])
        #expect(throws: ControlProtocolError.self) { try decoder.next() }
        decoder = FrameDecoder(reading: .hub)
        decoder.append([0xFF, 0xFF, 0xFF, 0xFF, 3, 0])
        #expect(throws: ControlProtocolError.self) { try decoder.next() }
    }

    @Test(arguments: [([0x47, 0x45, 0x54], 0), ([0x4D, 0x48, 0x54], 2), ([0x4D, 0x48, 0x55, 0x43], 3)])
    func `a wrong preface is refused at its first wrong byte`(bytes: [UInt8], offset: Int) {
        var decoder = FrameDecoder(reading: .client)
        decoder.append(bytes)
        #expect(throws: ControlProtocolError(.badPreface, offset: offset)) { try decoder.next() }
    }

    @Test func `another major version is refused by its number`() {
        var decoder = FrameDecoder(reading: .client)
        decoder.append(ControlPreface.magic + [2])
        let error = ControlProtocolError(.unsupportedVersion(2), offset: 4)
        #expect(throws: error) { try decoder.next() }
        #expect(error.goaway.code == .unimplemented)
        #expect(error.message.contains("version 1 is"))
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `any cuts give the same frames`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let frames = (0..<20).map { _ in
            let length = Int.random(in: 0..<5, using: &random) == 0 ? 20_000 : Int.random(in: 0..<40, using: &random)
            return ControlFrame(
                kind: .init(rawValue: UInt8.random(in: 0...255, using: &random)), payload: random.bytes(length))
        }
        var rest = frames.flatMap { $0.encoded() }[...]
        var decoder = FrameDecoder(reading: .hub)
        var out: [ControlFrame] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...3_000, using: &random))
            rest = rest.dropFirst(piece.count)
            decoder.append(piece)
            while let frame = try decoder.next() { out.append(frame) }
        }
        #expect(out == frames)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `garbage gives frames or one lasting error`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var decoder = FrameDecoder(reading: seed.isMultiple(of: 2) ? .client : .hub, maximumPayload: 1_000)
        var failure: ControlProtocolError?
        for _ in 0..<20 {
            decoder.append(random.mutated(stream))
            do throws(ControlProtocolError) {
                while let frame = try decoder.next() {
                    #expect(failure == nil && frame.payload.count <= 1_000)
                }
                #expect(failure == nil)
            } catch {
                #expect(failure == nil || failure == error)
                failure = error
            }
        }
    }
}
