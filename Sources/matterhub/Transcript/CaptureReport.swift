import HubControl
import MatterCapture
import MatterProtocol
import MatterWire

/// Prints a decoded capture.
struct CaptureReport {
    private let console: Console
    private let isJSON: Bool
    private let decoder: CaptureDecoder
    private let text: MessageText
    private let start: Int64

    init(_ invocation: Invocation, _ decoder: CaptureDecoder) {
        console = invocation.console
        isJSON = invocation.isJSON
        self.decoder = decoder
        text = MessageText(limit: invocation.options.flag("full") ? .max : 6)
        start = decoder.messages.first.map { min($0.microseconds, $0.marks.first?.microseconds ?? .max) } ?? 0
    }

    // MARK: - Messages

    func showMessages() {
        for (index, message) in decoder.messages.enumerated() {
            if isJSON { console.print(json(message, index)) } else { console.print(line(message)) }
        }
    }

    private func line(_ message: DecodedMessage) -> String {
        let arrow =
            switch message.direction {
            case .outbound: "▶"
            case .inbound: "◀"
            case nil: "·"
            }
        let peer = message.direction == .inbound ? message.source : message.destination
        let exchange = message.inner.map { "x\(String($0.exchangeID.rawValue, radix: 16))" } ?? "x?"
        var words = [
            padded(milliseconds(message.microseconds), 10), arrow, peer.shown, session(message), exchange,
            "#\(message.header.counter.rawValue)", MessageText.name(message),
        ]
        let content = text.content(message)
        if !content.isEmpty { words.append(content) }
        if message.isRetransmission { words.append("R") }
        if !message.isRetransmission, let delay = acknowledgementDelay(message) { words.append("[ack +\(delay) ms]") }
        return words.joined(separator: " ")
    }

    private func json(_ message: DecodedMessage, _ index: Int) -> JSONObject {
        [
            "event": "message", "index": JSONValue(index), "packet": JSONValue(message.packet),
            "ms": .number(Double(message.microseconds - start) / 1000),
            "direction": message.direction.map { $0 == .outbound ? "out" : "in" },
            "source": .string(message.source.shown), "destination": .string(message.destination.shown),
            "session": .string(session(message)), "counter": JSONValue(message.header.counter.rawValue),
            "exchange": message.inner.map { JSONValue($0.exchangeID.rawValue) },
            "opcode": .string(MessageText.name(message)), "content": .string(text.content(message)),
            "retransmission": message.isRetransmission ? true : nil,
            "acknowledges": message.acknowledges.map { JSONValue($0) },
        ]
    }

    private func session(_ message: DecodedMessage) -> String {
        switch message.channel {
        case .unsecured: "clear"
        case .secure(.pase, _, _): "pase/\(message.header.sessionID.rawValue)"
        case .secure(.case, _, _): "case/\(message.header.sessionID.rawValue)"
        case .unknown: "?/\(message.header.sessionID.rawValue)"
        }
    }

    private func acknowledgementDelay(_ message: DecodedMessage) -> String? {
        message.acknowledges.map { index in
            thousandths(message.microseconds - decoder.messages[index].microseconds)
        }
    }

    // MARK: - Stages

    func showStages() {
        for (index, timeline) in CommissioningTimeline.all(in: decoder.messages).enumerated() {
            if !isJSON {
                console.print("\nCommissioning \(index + 1)\(timeline.isComplete ? "" : ", which did not complete"):")
            }
            var table = TextTable("STAGE", "BEGIN", "END", "MS", "MESSAGES", "AGAIN", "ACKS", "")
            for span in timeline.spans {
                if isJSON {
                    console.print(json(span, index + 1))
                } else {
                    let length = span.begin.flatMap { begin in span.end.map { thousandths($0 - begin) } }
                    table.add(
                        span.stage.rawValue, span.begin.map(milliseconds) ?? "", span.end.map(milliseconds) ?? "",
                        length ?? "", "\(span.messages)", "\(span.retransmissions)", "\(span.acknowledgements)",
                        span.note)
                }
            }
            if !isJSON { console.print(table.text) }
        }
    }

    private func json(_ span: CommissioningTimeline.Span, _ number: Int) -> JSONObject {
        [
            "event": "stage", "commissioning": JSONValue(number), "stage": .string(span.stage.rawValue),
            "beginMs": span.begin.map { .number(Double($0 - start) / 1000) },
            "endMs": span.end.map { .number(Double($0 - start) / 1000) }, "messages": JSONValue(span.messages),
            "retransmissions": JSONValue(span.retransmissions), "acknowledgements": JSONValue(span.acknowledgements),
            "note": span.note.isEmpty ? nil : .string(span.note),
        ]
    }

    // MARK: - The end

    func showEnd(hasKeys: Bool) {
        let skipped = decoder.skipped
        let again = decoder.messages.count(where: \.isRetransmission)
        guard !isJSON else {
            console.print([
                "event": "finished", "messages": JSONValue(decoder.messages.count), "retransmissions": JSONValue(again),
                "withoutKey": JSONValue(skipped.noKey), "otherDatagrams": JSONValue(skipped.noMessage),
                "otherPackets": JSONValue(skipped.noDatagram),
            ])
            return
        }
        console.print("\n\(decoder.messages.count) messages, \(again) of them retransmissions.")
        if skipped.noKey > 0 {
            let remedy = hasKeys ? "the keys are of another run, or of some sessions only" : "give --keys FILE"
            console.print("\(skipped.noKey) could not be decrypted: \(remedy).")
        }
        if skipped.noMessage + skipped.noDatagram > 0 {
            console.print(
                "\(skipped.noMessage) datagrams are no Matter, \(skipped.noDatagram) packets no whole UDP datagrams.")
        }
    }

    private func milliseconds(_ time: Int64) -> String { thousandths(time - start) }

    private func thousandths(_ microseconds: Int64) -> String {
        let rest = String(microseconds.magnitude % 1000)
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(microseconds < 0 ? "-" : "")\(microseconds.magnitude / 1000).\(zeros)\(rest)"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
