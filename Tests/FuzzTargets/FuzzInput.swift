/// An input as a list of messages: each is a control byte, a length in two bytes, little-endian, and so many bytes; what
/// is cut off counts as far as it goes.
struct FuzzMessages: Sequence, IteratorProtocol {
    struct Message {
        var control: UInt8
        var bytes: [UInt8]
    }

    /// More messages than this are not read.
    static let limit = 64

    private var rest: ArraySlice<UInt8>
    private var count = 0

    init(_ input: [UInt8]) { rest = input[...] }

    mutating func next() -> Message? {
        guard rest.count >= 3, count < Self.limit else { return nil }
        count += 1
        let head = Array(rest.prefix(3))
        let body = rest.dropFirst(3).prefix(Int(head[1]) | Int(head[2]) << 8)
        rest = rest.dropFirst(3 + body.count)
        return Message(control: head[0], bytes: Array(body))
    }

    /// The input that these messages make.
    static func encode(_ messages: [(control: UInt8, bytes: [UInt8])]) -> [UInt8] {
        messages.flatMap { message in
            [message.control, UInt8(truncatingIfNeeded: message.bytes.count), UInt8(message.bytes.count >> 8 & 0xFF)]
                + message.bytes
        }
    }
}
