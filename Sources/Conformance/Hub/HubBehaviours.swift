/// What Protocols/ documents of a hub, also what no case exercises: the ids are what cases cite.
enum HubBehaviours {
    static let all: [DocumentedBehaviour] =
        page("dns-sd.md", advertisement)
        + page("hub-control.md", connection + trust + requests + methods + events + rest)
        + page("commissioning-session.md", session + failures)

    private typealias Row = (id: String, section: String, text: String)

    private static func page(_ name: String, _ rows: [Row]) -> [DocumentedBehaviour] {
        rows.map { DocumentedBehaviour($0.id, $0.section.isEmpty ? name : "\(name) \($0.section)", $0.text) }
    }

    private static let advertisement: [Row] = [
        ("dns-sd.record", "", "The record has txtvers, id, name, st, proto, and the control port."),
        ("dns-sd.state", "", "state is ready, or offline while the hub is set unreachable."),
        ("dns-sd.rename", "", "On a name conflict the instance is renamed."),
        ("dns-sd.withdrawn", "", "The record is withdrawn when the hub stops."),
    ]

    private static let connection: [Row] = [
        ("tls", "§1", "A first byte 0x16 begins a TLS 1.3 handshake, and nothing older."),
        ("alpn", "§1", "ALPN is matterhub/1."),
        ("tls.tickets", "§1", "There are no session tickets and no early data."),
        (
            "plain", "§1",
            "The plain preface is served where --plain allows it, else answered with goaway permissionDenied."
        ),
        ("first-byte", "§1", "Any other first byte ends the connection."),
        ("close-notify", "§1", "Whoever closes a TLS connection ends it with close_notify."),
        (
            "preface", "§1",
            "The preface is MHUB and the major version; what begins with M and is none is goaway invalidArgument."
        ),
        ("preface.version", "§1", "Another major version is goaway unimplemented that names those spoken."),
        ("frame", "§1", "A frame is 4 bytes of length, kind, flags, payload, however the bytes arrive."),
        ("frame.flags", "§1", "Unknown flags are ignored."),
        ("frame.unknown", "§1", "A frame of another kind is skipped."),
        ("order.hello", "§1", "hello is the first frame, exactly once; else goaway failedPrecondition."),
        ("order.direction", "§1", "A frame that only a hub sends is goaway invalidArgument."),
        ("ping", "§1", "A ping is answered with a pong and the same payload."),
        ("goaway", "§1", "Whoever gets a goaway, or sees the end of the other side, closes."),
        (
            "limits.payload", "§1",
            "A payload longer than limits.maxPayload is goaway resourceExhausted before it is read."
        ),
        ("limits.depth", "§1", "32 levels of nesting."),
        ("limits.string", "§1", "256 KiB of one string."),
        ("limits.entries", "§1", "10,000 members or elements of one container."),
        (
            "limits.form", "§1",
            "Duplicate names, invalid UTF-8, trailing bytes and what is no object are goaway invalidArgument with the offset."
        ),
        (
            "limits.in-flight", "§1",
            "32 requests in flight on one connection; another one is refused with resourceExhausted."
        ),
        ("limits.subscriptions", "§1", "64 subscriptions to devices on one connection."),
        ("limits.connections", "§1", "64 connections from one address, 1,024 from loopback."),
        ("limits.hello", "§1", "10 s from accept to hello."),
        ("limits.silence", "§1", "A silent client is pinged after 30 s and closed after 90 s."),
        ("limits.slow-reader", "§1", "4 MiB may wait for a slow reader."),
    ]

    private static let trust: [Row] = [
        (
            "pin", "§2",
            "The leaf is issued by the control CA that the hub sends, whose key the grant names; both are valid now."
        ),
        ("grants.form", "§2", "A grant is mh1, the hash of the authority's key, the id, and 32 octets of secret."),
        ("grant.identity", "§2", "App id and app group come from the grant, never from hello."),
        ("scope.methods", "§2", "A scope opens its methods and no other; admin opens all."),
        ("welcome", "§3", "welcome says protocol, hub, structures, grant, limits, events."),
        ("grant.optional", "§3", "Without a grant structures is empty and grant absent."),
        ("grant.checked", "§3", "A wrong or revoked grant is goaway unauthenticated."),
        ("grants.revoke", "§3", "Revocation stops and answers requests that run, then goaway unauthenticated."),
    ]

    private static let requests: [Row] = [
        ("request.id", "§4", "An id is 1 to 2^53−1 and not in use; else goaway invalidArgument. It may be used again."),
        ("request.one-answer", "§4", "Each request gets exactly one answer."),
        ("request.side-by-side", "§4", "Requests run side by side and are answered as they end."),
        ("request.params", "§4", "params is an object and may be left out."),
        ("request.unknown-method", "§4", "An unknown method is unimplemented."),
        ("request.connection-ends", "§4", "The end of a connection stops grants.request."),
        ("params.named", "§4", "Wrong or missing params are invalidArgument, and the message names the member."),
        ("params.range", "§4", "Params have the ranges that the table of methods gives."),
        ("deadline", "§4", "After deadlineMs the answer is deadlineExceeded, and what was begun is undone."),
        ("deadline.range", "§4", "deadlineMs is 1 to 86,400,000."),
        ("cancel", "§4", "cancel stops a request of the connection, which answers cancelled; else it answers false."),
        (
            "error.members", "§4",
            "An error has code, name, message; stage, details, retryAfterMs and suggestedUserActions where they apply."
        ),
        ("scope.none", "§4", "Without a grant: unauthenticated noGrant."),
        (
            "scope.structure", "§4",
            "A structure that the grant does not cover: permissionDenied otherStructure; it may be left out."
        ),
        ("scope.force", "§4", "session.cancel with force needs admin."),
        ("reason.noStructure", "§4", "noStructure"), ("reason.noRoom", "§4", "noRoom"),
        ("reason.noDevice", "§4", "noDevice"), ("reason.noOrphan", "§4", "noOrphan"),
        ("reason.noSubscription", "§4", "noSubscription"), ("reason.noGrant", "§4", "noGrant"),
        ("reason.deviceUnreachable", "§4", "A device that does not answer: unavailable deviceUnreachable."),
        ("reason.deviceReset", "§4", "A device that was reset: failedPrecondition deviceReset."),
        ("reason.deviceRefused", "§4", "A device that refuses: deviceRefused with its status."),
        ("reason.storage", "§4", "What cannot be stored: internal storage, and nothing was changed."),
    ]

    private static let methods: [Row] = [
        ("method.hub.info", "§4", "hub.info"),
        ("grants.request", "§4", "grants.request waits for approval; a refusal is permissionDenied grantRefused."),
        ("grants.renewal", "§4", "When a new grant of an app is used first, its older ones are revoked."),
        ("grants.create", "§4", "grants.create gives a grant at once."),
        ("grants.list", "§4", "grants.list shows grants and pending requests, without secrets."),
        ("method.rooms", "§4", "rooms.create, rename, delete, list."),
        ("devices.list", "§4", "devices.list gives pages."),
        ("devices.rename", "§4", "devices.rename"), ("devices.move", "§4", "devices.move; room null for none."),
        ("devices.read", "§4", "devices.read; an absent member is a wildcard; value or status."),
        ("devices.write", "§4", "devices.write"), ("devices.invoke", "§4", "devices.invoke"),
        ("devices.openWindow", "§4", "devices.openWindow"),
        ("devices.remove", "§4", "devices.remove; an unreachable device only with force."),
        ("orphans", "§4", "Orphans are listed, retried and forgotten."),
        ("bridge", "§4", "Each endpoint behind a bridge is a device; they leave together."),
        (
            "subscribe", "§4",
            "devices.subscribe gives present values and every change, as events of that connection only."
        ),
        ("subscribe.numbers", "§4", "A subscription's number was not used before on the connection."),
        ("unsubscribe", "§4", "After devices.unsubscribe no event follows."),
        ("faults", "§4", "faults.set: faultsNotAllowed, or invalidFault for a rule that is none."),
        ("offline", "§4", "Offline, what needs the network is refused with hubOffline; the rest goes on."),
        ("offline.commission", "§4", "A commission that runs is stopped and answers hubOffline; the session stays."),
        ("values", "§4", "Attribute values and fields are JSON forms of TLV."),
    ]

    private static let events: [Row] = [
        ("events.numbering", "§5", "Events are numbered from 1 without gaps, and come in that order."),
        ("events.replay", "§5", "from replays from that number."),
        ("events.gap", "§5", "from before oldest or beyond what was given out: gap, and replay from oldest."),
        ("events.kept", "§5", "The last 1,024 events are kept."),
        ("events.one-subscription", "§5", "A subscription counts for its connection; a second one takes its place."),
        ("events.epoch", "§5", "The epoch names the numbering; it is another one after a restart."),
        ("event.session.stage", "§5", "session.stage: a stage begins; numbered before the commission is answered."),
        ("event.session.ended", "§5", "session.ended with its reason."),
        ("event.device", "§5", "device.added, device.changed, device.removed."),
        ("event.room", "§5", "room.added, room.changed, room.removed."),
        ("event.grant.revoked", "§5", "grant.revoked"),
        ("event.hub.reachable", "§5", "hub.reachable"),
        ("subscribe.ended", "§5", "subscription.ended: deviceRemoved, hubOffline, hubStopped, tooSlow."),
        (
            "subscribe.recovers", "§5",
            "A lost Matter subscription is set up again; what changed meanwhile comes as events."
        ),
    ]

    private static let rest: [Row] = [
        ("stopping", "§6", "On SIGTERM: goaway unavailable, withdrawn advertisement, status 0."),
        ("versions", "§7", "protocol has the major version of the preface."),
        ("compatibility.members", "§7", "Unknown members are ignored, in every message."),
        ("names.twice", "§8", "Two of a kind may have the same name."),
        ("names.trimmed", "§8", "Blanks around a name are cut off."),
        ("names.nfc", "§8", "Names are stored in normal form C."),
        ("names.any", "§8", "Any script, emoji and right-to-left text are kept."),
        ("names.forbidden", "§8", "Forbidden characters: badName, and message and details.character name them."),
        ("names.empty", "§8", "Nothing that can be seen: badName."),
        ("names.length", "§8", "More than 128 bytes: badName with the count."),
        ("names.of-devices", "§8", "What a device calls itself is cleaned instead of refused."),
        ("names.room-by-name", "§8", "roomName finds a room by its table."),
        ("rooms.order", "§8", "rooms.list is in the order of names, then of creation."),
    ]

    private static let session: [Row] = [
        ("session.none", "", "Without a session: noSession, none, notFound."),
        ("session.prepare", "", "prepare gives a session."),
        (
            "session.prepare-order", "",
            "prepare checks permission, reachability, structure, other session, in this order."
        ),
        (
            "session.single", "",
            "A structure has one session; another app is told who holds it, since when and how long."
        ),
        ("session.foreign", "", "What another app asks of the session is notOwner with heldBy."),
        ("session.admin", "", "admin may get it, and cancel it with force."),
        (
            "session.owner", "",
            "The owner is app id and app group, on any number of connections; a dropped one ends nothing."
        ),
        ("session.owner-gone", "", "A session whose owner has no connection for 120 s ends."),
        (
            "session.supersede", "",
            "prepare by the owner supersedes; with a running commission only when it has no connection."
        ),
        ("session.lifetime", "", "10 min, or lifetimeMs; after it the session ends, and a commission with it."),
        ("session.lifetime-extended", "", "Each finished stage extends it to at least 10 min, never past 30 min."),
        (
            "session.nothing", "",
            "configure and complete with nothing commissioned: nothingCommissioned, the session stays."
        ),
        ("session.get", "", "get shows session, state, owner, times, stage, provisional devices, last error."),
        ("session.revoked", "", "Revocation ends the session at once."),
        (
            "session.cancel", "",
            "cancel is idempotent, says what becomes of the device, and the next prepare succeeds at once."
        ),
        ("session.cancel.stages", "", "cancel works in every stage and answers within 1 s."),
        ("session.cancel.late", "", "Late results are discarded."),
        ("commissioning.one", "", "One commission at a time: commissionRunning."),
        ("client-key", "", "A repeat of a client key gets the first answer, also after it was lost."),
        ("client-key.form", "", "A client key has 1 to 64 characters."),
        ("client-key.restart", "", "Answers survive a restart of the hub."),
        ("commission.result", "", "commission answers what was commissioned."),
        ("commission.provisional", "", "A provisional device is seen by its owner's session only."),
        ("commission.several", "", "A session commissions several devices."),
        ("configure", "", "configure names the newest provisional device."),
        ("complete", "", "complete makes all provisional devices devices, visible before the answer."),
        ("commission.reset-device", "", "A device that was reset replaces its old record."),
        ("crash", "After a crash", "Every device is settled after a crash; no session survives as active."),
    ]

    private static let failures: [Row] =
        [
            ("invalidPayload", "with details.payload"), ("wrongPasscode", "with details.candidates"),
            ("deviceVanished", ""), ("deviceBusy", "with retryAfterMs"), ("fabricTableFull", "with details.limit"),
            ("deviceRefused", "with details.status"), ("attestationRefused", "with details.rules"),
            ("protocolError", ""),
            ("deadline", ""), ("sessionEnded", ""),
            ("stillCleaning", "or waiting for the cleaning within the deadline"),
            ("alreadyOnFabric", "with existingNode and devices"), ("onlyBluetooth", ""), ("cannotSearch", ""),
            ("deviceReset", ""),
        ].map { ("failure.\($0.0)", "Reasons", $0.1.isEmpty ? $0.0 : "\($0.0), \($0.1)") } + [
            ("failure.noDevice", "Reasons", "noDeviceFound or deviceVanished where nobody is."),
            ("failure.session-stays", "", "A failure touches only that device; the session stays."),
        ]
}
