package import NetIO
package import Transcript

/// Where connections of this process leave a record; nowhere unless the user asked for it.
package struct ConnectionRecords: Hashable, Sendable {
    /// What is said, without secrets.
    package var transcript: DialogueLog?
    /// TLS secrets, for Wireshark: whoever has them can read the connections.
    package var tlsKeys: TLSKeyLog?

    package init(transcript: DialogueLog? = nil, tlsKeys: TLSKeyLog? = nil) {
        self.transcript = transcript
        self.tlsKeys = tlsKeys
    }
}
