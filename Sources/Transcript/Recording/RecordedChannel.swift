package import NetIO

/// A channel of the control protocol whose dialogue is written down. Inside TLS it sees what TLS hides from others.
package final class RecordedChannel: ByteChannel {
    private let channel: any ByteChannel
    private let watch: DialogueWatch
    private let reads: DialogueSender
    private let writes: DialogueSender

    /// - Parameter side: whose end of the connection this is.
    package init(_ channel: any ByteChannel, _ watch: DialogueWatch, side: DialogueSender) {
        self.channel = channel
        self.watch = watch
        writes = side
        reads = side == .client ? .hub : .client
    }

    deinit { watch.closed() }

    package func read(atMost limit: Int) async throws(NetError) -> [UInt8] {
        let bytes = try await channel.read(atMost: limit)
        if !bytes.isEmpty { watch.passed(bytes, from: reads) }
        return bytes
    }

    // Written down before they are sent: an answer may come before we would.
    package func write(_ bytes: [UInt8]) async throws(NetError) {
        watch.passed(bytes, from: writes)
        try await channel.write(bytes)
    }

    package func enqueue(_ bytes: [UInt8]) throws(NetError) {
        watch.passed(bytes, from: writes)
        try channel.enqueue(bytes)
    }

    package func finishWriting() { channel.finishWriting() }

    package func close() {
        channel.close()
        watch.closed()
    }

    package var peerAddress: SocketAddress { channel.peerAddress }
}
