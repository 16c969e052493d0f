import MatterNode

extension DeviceCommand {
    static var help: CommandHelp {
        CommandHelp(
            usage: "--type TYPE [OPTION]… | --export-paa FOLDER",
            text: """
                Plays the device until Ctrl-C or SIGTERM, and keeps its codes, keys and fabrics in the state folder. Prints the QR
                code, the manual code and what happens to the device. Types: \
                \(DeviceKind.allCases.map(\.rawValue).joined(separator: ", ")). A bridge has the devices of --bridged behind it,
                on endpoints 2, 3, …; at a later start more can be added after them.

                While it runs, it takes one command a line on standard input, so that doors open and rooms warm up:
                  set [ENDPOINT/]CLUSTER/ATTRIBUTE VALUE   for example: set boolean-state/state-value false
                                                           set 2/on-off/on-off true; set thermostat/local-temperature 1850
                  get [ENDPOINT/]CLUSTER/ATTRIBUTE         prints the present value
                  list                                     what can be set, and to what
                  faults [RULE]…                           goes wrong by these rules of --fault from now on, and by no others
                VALUE is as for matterhub write; temperatures are in 0.01 °C. Without ENDPOINT the first that has the
                attribute is meant. Each change is printed, whoever made it. A wrong line changes nothing and is explained.

                Controllers trust the device's attestation when they have our test root: --export-paa writes it.

                --json prints one object a line, each with “event”: first ready, with qrCode, manualCode, passcode, discriminator,
                vendorId, productId, port, mdns, commissionable and fabrics; then windowOpened, windowClosed,
                commissionerArrived, commissionerRefused, commissioned, fabricRemoved, factoryReset; onOff with endpoint and on;
                attribute with endpoint, cluster, attribute, value and the numbers clusterId and attributeId for all other
                changes; fault (a rule of --fault applied) and restarted; and for lines on standard input done, value,
                settable or refused, each with line.
                """,
            options: [
                .value("type", "TYPE", "what to play"),
                .value(
                    "bridged", "TYPE,…",
                    "behind a bridge (default: \(DeviceKind.usuallyBridged.map(\.rawValue).joined(separator: ",")))"),
                .value("discriminator", "N", "0 to 4095 (default: drawn once, kept)"),
                .value("passcode", "N", "1 to 99999998 (default: drawn once, kept)"),
                .value("port", "N", "UDP port, 0 for any (default: \(standardPort), or any when that is taken)"),
                .value("state-dir", "FOLDER", "default: $XDG_STATE_HOME/matterhub/device-TYPE"),
                .value("name", "TEXT", "the product's name, at most 32 bytes"),
                .value("vendor-id", "N", "the vendor; our test root is for 0xFFF1 only (default)"),
                .value("product-id", "N", "the product (default 0x8001)"),
                .flag("no-mdns", "do not advertise: controllers must know the address"),
                .value("export-paa", "FOLDER", "write our test root there, DER; without --type nothing else is done"),
                .value(
                    "defect", "NAME",
                    "break a rule all the time, see “matterhub faults --list”; may be given several times"),
            ] + FaultFile.options + CaptureOptions.options + [.json])
    }
}
