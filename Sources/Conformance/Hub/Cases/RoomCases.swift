import HubControl

/// Rooms and names: hub-control.md §4, §8.
enum RoomCases {
    static let all: [HubCase] = rooms + names

    private static let rooms: [HubCase] = [
        HubCase("rooms.life", "A room is created, listed, renamed and deleted", ["method.rooms"]) { hub in
            let admin = try await hub.admin()
            let made = try await admin.call("rooms.create", ["name": "Conformance A"])
            let id = try made.id("id")
            try expectEqual(made["name"], "Conformance A", "the new room's name")
            try expectEqual(try await admin.room(id)?["name"], "Conformance A", "the name in rooms.list")
            let renamed = try await admin.call("rooms.rename", ["id": .string(id), "name": "Conformance B"])
            try expectEqual(renamed, ["id": .string(id), "name": "Conformance B"], "the answer to rooms.rename")
            try expectEqual(try await admin.room(id)?["name"], "Conformance B", "the name in rooms.list")
            try await admin.call("rooms.delete", ["id": .string(id)])
            try expect(try await admin.room(id) == nil, "the room to be gone from rooms.list", seen: "it is there")
        },
        HubCase("rooms.events", "Creating, renaming and deleting a room are events", ["event.room"]) { hub in
            let (admin, other) = (try await hub.admin(), try await hub.admin())
            try await other.call("events.subscribe")
            let id = try await admin.call("rooms.create", ["name": "Conformance"]).id("id")
            try await admin.call("rooms.rename", ["id": .string(id), "name": "Conformance 2"])
            try await admin.call("rooms.delete", ["id": .string(id)])
            for event in ["room.added", "room.changed", "room.removed"] {
                _ = try await other.event(event) { $0.data["id"] == .string(id) }
            }
        },
        HubCase("rooms.unknown", "Renaming or deleting a room that is not there: notFound noRoom", ["reason.noRoom"]) {
            hub in
            let admin = try await hub.admin()
            let id = try await admin.call("rooms.create", ["name": "Conformance"]).id("id")
            try await admin.call("rooms.delete", ["id": .string(id)])
            for id in [id, "00000000000000aa"] {
                try await admin.refusal(of: "rooms.delete", ["id": .string(id)], .notFound, "noRoom")
                try await admin.refusal(of: "rooms.rename", ["id": .string(id), "name": "x"], .notFound, "noRoom")
            }
        },
        HubCase("rooms.same-name", "Two rooms may have the same name", ["names.twice"]) { hub in
            let admin = try await hub.admin()
            let one = try await admin.call("rooms.create", ["name": "Conformance twice"]).id("id")
            let two = try await admin.call("rooms.create", ["name": "Conformance twice"]).id("id")
            try expect(one != two, "two ids", seen: "one id twice")
        },
        HubCase("rooms.order", "rooms.list is in the order of names, then of creation", ["rooms.order"]) { hub in
            let admin = try await hub.admin()
            var ids: [String: String] = [:]
            for name in ["Conformance c", "Conformance a", "Conformance b", "Conformance a"] {
                ids[try await admin.call("rooms.create", ["name": .string(name)]).id("id")] = name
            }
            let listed = try await admin.call("rooms.list").listed("rooms").compactMap { room in
                room["id"]?.string.flatMap { ids[$0] }
            }
            try expectEqual(
                listed, ["Conformance a", "Conformance a", "Conformance b", "Conformance c"],
                "the rooms' names, in order")
        },
    ]

    // MARK: - Names

    private static let names: [HubCase] = [
        kept(
            "names.trimmed", "Blanks and line breaks around a name are cut off", ["names.trimmed"],
            [
                ("  Kitchen\t", "Kitchen"), ("\n Bath \r\n", "Bath"), ("\u{A0}Hall\u{2003}", "Hall"),
            ]),
        kept(
            "names.normal-form", "Composed and decomposed characters are stored in normal form C", ["names.nfc"],
            [
                ("Ku\u{308}che", "K\u{FC}che"), ("A\u{30A}", "\u{C5}"),
            ]),
        kept(
            "names.any-script", "Emoji, joiners and right-to-left text are kept", ["names.any"],
            [
                (
                    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} Family",
                    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} Family"
                ),
                ("\u{5D7}\u{5D3}\u{5E8} \u{200F}1", "\u{5D7}\u{5D3}\u{5E8} \u{200F}1"),
                ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
                ("\u{53F0}\u{6240}", "\u{53F0}\u{6240}"),
            ]),
        refused(
            "names.control", "Control characters and line separators are refused, and named", ["names.forbidden"],
            [
                ("a\u{0}b", "U+0000"), ("a\u{1B}[2J", "U+001B"), ("a\nb", "U+000A"), ("a\u{85}b", "U+0085"),
                ("a\u{2028}b", "U+2028"), ("a\u{7F}b", "U+007F"),
            ]),
        refused(
            "names.bidi", "What turns the text beside it is refused, and named", ["names.forbidden"],
            [
                ("a\u{202E}b", "U+202E"), ("a\u{202A}b", "U+202A"), ("a\u{2066}b", "U+2066"), ("a\u{2069}b", "U+2069"),
            ]),
        refused(
            "names.noncharacter", "Noncharacters are refused, and named", ["names.forbidden"],
            [
                ("a\u{FFFE}", "U+FFFE"), ("a\u{1FFFE}", "U+1FFFE"),
            ]),
        refused(
            "names.empty", "An empty name, and one of which nothing can be seen, is refused", ["names.empty"],
            [
                ("", nil), ("   ", nil), ("\u{200D}", nil), ("\u{FE0F}", nil),
            ]),
        HubCase("names.length", "A name has at most 128 bytes of UTF-8", ["names.length"]) { hub in
            let admin = try await hub.admin()
            // 32 emoji of 4 bytes; blanks around them do not count.
            let longest = String(repeating: "\u{1F3E0}", count: 32)
            let made = try await admin.call("rooms.create", ["name": .string("  \(longest)  ")])
            try expectEqual(made["name"], .string(longest), "a name of 128 bytes")
            let refusal = try await admin.refusal(
                of: "rooms.create", ["name": .string(longest + "x")], .invalidArgument, "badName")
            try expect(refusal.message.contains("129"), "the message to give the count", seen: "“\(refusal.message)”")
        },
        HubCase("names.rename-refused", "A refused rename changes nothing", ["names.forbidden"]) { hub in
            let admin = try await hub.admin()
            let id = try await admin.call("rooms.create", ["name": "Conformance"]).id("id")
            try await admin.refusal(
                of: "rooms.rename", ["id": .string(id), "name": "a\u{202E}b"], .invalidArgument, "badName")
            try expectEqual(try await admin.room(id)?["name"], "Conformance", "the room's name")
        },
    ]

    private static func kept(
        _ name: String, _ title: String, _ behaviours: [String], _ rows: [(given: String, kept: String)]
    ) -> HubCase {
        HubCase(name, title, behaviours) { hub in
            let admin = try await hub.admin()
            for row in rows {
                let made = try await admin.call("rooms.create", ["name": .string(row.given)])
                // By scalars: Swift takes composed and decomposed characters for equal.
                try expectEqual(
                    scalars(made["name"]?.string), scalars(row.kept), "the characters of the name that the hub keeps")
            }
        }
    }

    private static func scalars(_ text: String?) -> String {
        (text ?? "").unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    private static func refused(
        _ name: String, _ title: String, _ behaviours: [String], _ rows: [(given: String, character: String?)]
    ) -> HubCase {
        HubCase(name, title, behaviours) { hub in
            let admin = try await hub.admin()
            for row in rows {
                let refusal = try await admin.refusal(
                    of: "rooms.create", ["name": .string(row.given)], .invalidArgument, "badName")
                guard let character = row.character else { continue }
                try expect(
                    refusal.details["character"]?.string?.contains(character) == true,
                    "details.character to be \(character)", seen: refusal.details["character"]?.text() ?? "nothing")
                try expect(
                    refusal.message.contains(character), "the message to name \(character)",
                    seen: "“\(refusal.message)”")
            }
        }
    }
}

extension HubDialogue {
    /// A room in rooms.list.
    func room(_ id: String) async throws -> JSONObject? {
        try await call("rooms.list").listed("rooms").first { $0["id"] == .string(id) }
    }
}
