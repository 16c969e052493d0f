import Foundation
import HubControl
import MatterCapture
import NetIO

/// `matterhub transcript decode`
enum TranscriptDecodeCommand: Command {
    static let name = "decode"
    static let summary = "Decrypt and print a capture of Matter, with the stages of commissioning."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE.pcapng",
            text: """
                FILE is what “serve --capture” or “device --capture” wrote, or a pcapng file of tshark; --keys what
                --capture-keys wrote in the same run. Without keys only handshakes can be read. Each message has the time in ms, ▶ for
                sent and ◀ for received, the peer, the session, the exchange, the counter, the opcode and what is in it; R marks
                a retransmission, +N ms an acknowledgement. Keys, PINs and verifiers are counted, not shown.

                --json prints one object a line: message; then stage (stage, beginMs, endMs, messages, retransmissions,
                acknowledgements, note) for each stage of each commissioning; then finished.
                """,
            options: [
                .value("keys", "FILE", "the session keys; may be given several times"),
                .value(
                    "cleartext", "FILE", "write the decrypted messages, link type 147, for tools/wireshark/matter.lua"),
                .flag("full", "show everything in a message"), .flag("stages", "only the stages"), .json,
            ])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let path = try invocation.argument("a capture")
        let options = invocation.options
        var keys: [SessionKeys] = []
        for file in options.strings("keys") { keys += try read(file, KeyFile.sessions) }
        var decoder = CaptureDecoder(keys: keys)
        decoder.decode(try packets(path, invocation.console))
        let report = CaptureReport(invocation, decoder)
        if !options.flag("stages") { report.showMessages() }
        report.showStages()
        report.showEnd(hasKeys: !keys.isEmpty)
        if let path = try options.string("cleartext") { try writeCleartext(decoder.messages, to: path, invocation) }
        return .ok
    }

    /// The packets; a last block that was not written whole is left out, with a word.
    private static func packets(_ path: String, _ console: Console) throws(CommandFailure) -> [CapturedPacket] {
        try read(path) { bytes throws(CaptureError) in
            do throws(CaptureError) {
                return try PcapngReader.packets(of: bytes)
            } catch  where error.code == .truncated && error.place > 0 {
                console.note(
                    "\(path): the last \(bytes.count - error.place) bytes are no whole block, and are left out.")
                return try PcapngReader.packets(of: Array(bytes.prefix(error.place)))
            }
        }
    }

    private static func read<Value>(
        _ path: String, _ parse: ([UInt8]) throws(CaptureError) -> Value
    ) throws(CommandFailure) -> Value {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        do throws(CaptureError) { return try parse(Array(data)) } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    private static func writeCleartext(
        _ messages: [DecodedMessage], to path: String, _ invocation: Invocation
    ) throws {
        let packets = messages.compactMap(CleartextFrame.packet)
        let head = PcapngWriter.head(
            link: .user0, interface: "matter", application: "matterhub \(MatterHubCommand.version)")
        do throws(NetError) {
            try AppendFile(path: path, isNew: true).append(head + packets.flatMap(PcapngWriter.block))
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error)")
        }
        invocation.console.note(
            "\(packets.count) messages in \(path). They are decrypted: keys that a device was given are among them.")
    }
}
