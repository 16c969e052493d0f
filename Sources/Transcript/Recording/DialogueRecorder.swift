import HubControl

/// Makes lines of the bytes of one connection, after the codec of frames and before any other rule: it records also what
/// the other end will refuse.
///
///     bytes of either side ──▶ FrameDecoder ──▶ JSON ──▶ secrets out ──▶ lines
package struct DialogueRecorder: Sendable {
    package let connection: String
    private var decoders: [DialogueSender: FrameDecoder] = [
        .client: FrameDecoder(reading: .client), .hub: FrameDecoder(reading: .hub),
    ]

    package init(connection: String) { self.connection = connection }

    /// Bytes passed.
    ///
    /// - Parameters:
    ///   - milliseconds: since the recording began.
    ///   - secrets: of the whole recording.
    package mutating func passed(
        _ bytes: [UInt8], from sender: DialogueSender, milliseconds: Double, secrets: inout SecretPlaceholders
    ) -> [DialogueLine] {
        guard var decoder = decoders[sender] else { return [] }
        decoder.append(bytes)
        var lines: [DialogueLine] = []
        var isReadable = true
        do throws(ControlProtocolError) {
            while let frame = try decoder.next() {
                lines.append(line(frame, sender, milliseconds, &secrets))
            }
        } catch {
            lines.append(note("nothing more of the \(sender.rawValue) is recorded: \(error.message)", milliseconds))
            isReadable = false
        }
        decoders[sender] = isReadable ? decoder : nil
        return lines
    }

    /// A note on this connection.
    package func note(_ text: String, _ milliseconds: Double) -> DialogueLine {
        .note(DialogueNote(milliseconds: milliseconds, connection: connection, text: text))
    }

    private func line(
        _ frame: ControlFrame, _ sender: DialogueSender, _ milliseconds: Double, _ secrets: inout SecretPlaceholders
    ) -> DialogueLine {
        let kind = DialogueFrame.name(of: frame.kind)
        guard frame.kind.isKnown else {
            // Whatever it carries is none of our business, and might be a secret.
            return note(
                "the \(sender.rawValue) sent a frame of \(kind) with \(frame.payload.count) bytes", milliseconds)
        }
        do throws(ControlProtocolError) {
            let payload = try JSONObject(parsing: frame.payload)
            return .frame(
                DialogueFrame(
                    milliseconds: milliseconds, connection: connection, sender: sender, kind: kind,
                    payload: secrets.redact(payload, kind: frame.kind)))
        } catch {
            return note("the \(sender.rawValue) sent a \(kind) that cannot be read: \(error.message)", milliseconds)
        }
    }
}
