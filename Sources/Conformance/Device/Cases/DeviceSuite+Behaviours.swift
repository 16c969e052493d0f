extension DeviceSuite {
    /// What the specification says of commissioning and could be exercised (Matter Core 1.4).
    static let behaviours: [DocumentedBehaviour] = [
        .init(
            "advertise.commissionable", "Core §4.3.1",
            "A device whose window is open announces itself as _matterc._udp, with a name of 16 hexadecimal digits."),
        .init(
            "advertise.txt", "Core §4.3.1",
            "Its TXT record has D and CM, and VP, SII, SAI, SAT, T, DN, DT, PH, PI, RI and ICD in their forms."),
        .init(
            "advertise.closed", "Core §4.3.1",
            "Without an open window no record says that the device can be commissioned."),
        .init(
            "advertise.operational", "Core §4.3.2",
            "Each fabric's node is announced as _matter._tcp, by compressed fabric id and node id."),
        .init(
            "pase.passcode", "Core §4.14.1",
            "Who proves the passcode gets a session; who does not is told INVALID_PARAMETER, and the device keeps nothing of the handshake."
        ),
        .init(
            "pase.parameters", "Core §3.9",
            "The passcode is stretched with 1,000 to 100,000 iterations and a salt of 16 to 32 bytes."),
        .init(
            "pase.response", "Core §4.14.1.2",
            "PBKDFParamResponse repeats the initiator's random number, has a fresh one of its own and a session id that is not 0, and has PBKDF parameters exactly when they were asked for."
        ),
        .init(
            "pase.request", "Core §4.14.1.2",
            "Members that a receiver does not know are skipped; a passcode id other than 0 is refused."),
        .init("pase.points", "Core §3.10", "A share that is no point of the curve is refused."),
        .init("pase.one", "Core §5.5", "While a commissioner is in, no other gets a session."),
        .init(
            "window.attempts", "Core §5.5", "A window survives wrong passcodes, and closes after 20 failed attempts."),
        .init(
            "info.basic", "Core §11.1",
            "Basic Information has its mandatory attributes, and the vendor and product that the code and the advertisement name."
        ),
        .init("info.commissioning", "Core §11.10", "General Commissioning has its mandatory attributes, in range."),
        .init(
            "info.credentials", "Core §11.18",
            "Operational Credentials has its mandatory attributes, and its counts agree with its lists."),
        .init(
            "info.paths", "Core §8.4.3",
            "A path to what is not there is answered with the status that says which part is missing."),
        .init(
            "attestation.chain", "Core §6.2.3",
            "The device's certificate chain leads to a trusted authority and keeps the format rules."),
        .init(
            "attestation.declaration", "Core §6.3",
            "The certification declaration is signed by a known key and is about this vendor and product."),
        .init(
            "attestation.elements", "Core §11.18.4.7",
            "Attestation elements carry the commissioner's nonce and are signed with the DAC key for this session."),
        .init(
            "csr.elements", "Core §11.18.4.9",
            "NOCSR elements carry the commissioner's nonce and are signed with the DAC key for this session; each request makes a new key."
        ),
        .init(
            "failsafe.arm", "Core §11.10.7.2",
            "ArmFailSafe arms, extends for the same administrator, and sets the breadcrumb; with 0 s it ends the fail-safe at once."
        ),
        .init("failsafe.pase", "Core §5.5", "A device arms the fail-safe for 60 s by itself when PASE completes."),
        .init(
            "failsafe.busy", "Core §11.10.7.2",
            "While one administrator holds the fail-safe, others are told BusyWithOtherAdmin."),
        .init(
            "failsafe.rollback", "Core §11.10.7.2.2",
            "When the fail-safe ends without CommissioningComplete, the new fabric, its root and the breadcrumb are gone, and the device can be commissioned again."
        ),
        .init(
            "order.failsafe", "Core §11.18.6",
            "CSRRequest, AddTrustedRootCertificate and AddNOC need the fail-safe; CommissioningComplete says NoFailSafe without it."
        ),
        .init(
            "order.noc", "Core §11.18.6.8",
            "AddNOC needs a certificate request and a root of this fail-safe, a certificate for the requested key, and comes once."
        ),
        .init("order.root", "Core §11.18.6.13", "A second AddTrustedRootCertificate under one fail-safe is refused."),
        .init(
            "complete.session", "Core §11.10.7.6",
            "CommissioningComplete is taken over CASE of the new fabric and never over PASE."),
        .init(
            "complete.effects", "Core §11.10.7.6",
            "CommissioningComplete ends the fail-safe, clears the breadcrumb, closes the window and the PASE session."),
        .init(
            "case.identity", "Core §4.14.2",
            "CASE gives a session to members of the fabric only, and only for this node."),
        .init(
            "acl.administrator", "Core §6.6.2.9",
            "AddNOC grants Administer to the named administrator, by CASE, and nothing to anybody else."),
        .init(
            "window.open", "Core §11.19.8.1",
            "OpenCommissioningWindow opens a window with the administrator's passcode, and shows it in its attributes."),
        .init(
            "window.refusals", "Core §11.19.8.1",
            "A window is refused while one is open, with PAKE parameters or a time out of range, and outside of a timed interaction."
        ),
        .init(
            "window.revoke", "Core §11.19.8.3",
            "RevokeCommissioning closes the window; without one it says WindowNotOpen."),
        .init(
            "fabrics.scope", "Core §7.5",
            "A fabric sees its own entries of fabric-scoped lists, and nothing sensitive of others'."),
        .init("fabrics.unique", "Core §11.18.6.8", "AddNOC for a fabric that the device is on is a FabricConflict."),
        .init("fabrics.label", "Core §11.18.6.11", "A label that another fabric has is a LabelConflict."),
        .init(
            "fabrics.remove", "Core §11.18.6.12",
            "RemoveFabric takes a fabric with its sessions away, leaves others alone, and says InvalidFabricIndex for one that is not there."
        ),
        .init(
            "fabrics.last", "Core §11.18.6.12", "With its last fabric gone a device can be commissioned like a new one."
        ),
        .init(
            "messages.duplicates", "Core §4.6.5",
            "A message that comes again is acknowledged again and not processed again."),
        .init(
            "messages.malformed", "Core §8.2",
            "What does not decode changes nothing: it is answered with INVALID_ACTION or not at all."),
    ]
}
