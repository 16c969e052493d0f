-- Wireshark and tshark show decrypted Matter messages, as `matterhub transcript decode --cleartext OUT.pcapng` writes them
-- (Protocols/captures.md): addresses, message header, protocol header, opcode; the payload stays bytes.
--
--   tshark -X lua_script:tools/wireshark/matter.lua -r OUT.pcapng -Y matter
--   Wireshark: copy this file into the folder "Personal Lua Plugins" (Help > About > Folders).
--
-- It takes link type 147 (DLT_USER0), which is for private use: unload it for other files of that type.

local matter = Proto("matter", "Matter message, decrypted")

local SECURE_CHANNEL, INTERACTION = 0, 1
local PROTOCOLS = { [SECURE_CHANNEL] = "Secure Channel", [INTERACTION] = "Interaction Model", [2] = "BDX", [3] = "User Directed Commissioning" }
local OPCODES = {
    [SECURE_CHANNEL] = {
        [0x00] = "MsgCounterSyncReq", [0x01] = "MsgCounterSyncRsp", [0x10] = "StandaloneAck", [0x20] = "PBKDFParamRequest",
        [0x21] = "PBKDFParamResponse", [0x22] = "Pake1", [0x23] = "Pake2", [0x24] = "Pake3", [0x30] = "Sigma1",
        [0x31] = "Sigma2", [0x32] = "Sigma3", [0x33] = "Sigma2Resume", [0x40] = "StatusReport", [0x50] = "CheckIn",
    },
    [INTERACTION] = {
        [0x01] = "StatusResponse", [0x02] = "ReadRequest", [0x03] = "SubscribeRequest", [0x04] = "SubscribeResponse",
        [0x05] = "ReportData", [0x06] = "WriteRequest", [0x07] = "WriteResponse", [0x08] = "InvokeRequest",
        [0x09] = "InvokeResponse", [0x0A] = "TimedRequest",
    },
}
local FRAME = 38

local f = {
    direction = ProtoField.string("matter.direction", "Direction"),
    encrypted = ProtoField.bool("matter.encrypted", "Was encrypted"),
    again = ProtoField.bool("matter.retransmission", "Retransmission"),
    source = ProtoField.ipv6("matter.source", "Source"),
    source_port = ProtoField.uint16("matter.source_port", "Source port"),
    destination = ProtoField.ipv6("matter.destination", "Destination"),
    destination_port = ProtoField.uint16("matter.destination_port", "Destination port"),
    flags = ProtoField.uint8("matter.flags", "Message flags", base.HEX),
    session = ProtoField.uint16("matter.session", "Session id"),
    security = ProtoField.uint8("matter.security_flags", "Security flags", base.HEX),
    counter = ProtoField.uint32("matter.counter", "Message counter"),
    source_node = ProtoField.uint64("matter.source_node", "Source node", base.HEX),
    destination_node = ProtoField.uint64("matter.destination_node", "Destination node", base.HEX),
    exchange_flags = ProtoField.uint8("matter.exchange_flags", "Exchange flags", base.HEX),
    initiator = ProtoField.bool("matter.initiator", "From the initiator"),
    reliable = ProtoField.bool("matter.reliable", "Wants an acknowledgement"),
    opcode = ProtoField.uint8("matter.opcode", "Opcode", base.HEX),
    name = ProtoField.string("matter.name", "Message"),
    exchange = ProtoField.uint16("matter.exchange", "Exchange id"),
    protocol = ProtoField.uint16("matter.protocol", "Protocol", base.DEC, PROTOCOLS),
    acknowledged = ProtoField.uint32("matter.acknowledged", "Acknowledged counter"),
    payload = ProtoField.bytes("matter.payload", "Payload"),
}
matter.fields = f
local malformed = ProtoExpert.new("matter.malformed", "The message is cut off", expert.group.MALFORMED,
    expert.severity.ERROR)
matter.experts = { malformed }

-- Reads a file's form of bit flags; Lua 5.1 and 5.4 have no operator in common.
local function has(value, bit) return value % (2 * bit) >= bit end

-- A cursor over the packet that adds fields as it goes; nil when the bytes are used up.
local function reader(tvb, tree)
    local at = 0
    local cursor = {}
    function cursor.take(field, count, little)
        if at + count > tvb:len() then return nil end
        local range = tvb(at, count)
        at = at + count
        if field then
            if little then tree:add_le(field, range) else tree:add(field, range) end
        end
        return range
    end
    function cursor.rest() return at < tvb:len() and tvb(at) or nil end
    return cursor
end

local function dissect(tvb, pinfo, tree)
    local cursor = reader(tvb, tree)
    if tvb:len() < FRAME or tvb(0, 1):uint() ~= 1 then return nil end
    cursor.take(nil, 1)
    local flags = cursor.take(nil, 1)
    tree:add(f.direction, flags, has(flags:uint(), 1) and "sent" or "received")
    tree:add(f.encrypted, flags, has(flags:uint(), 2))
    tree:add(f.again, flags, has(flags:uint(), 4))
    local source = cursor.take(f.source, 16)
    local source_port = cursor.take(f.source_port, 2)
    local destination = cursor.take(f.destination, 16)
    local destination_port = cursor.take(f.destination_port, 2)
    pinfo.cols.src = tostring(source:ipv6()) .. ":" .. source_port:uint()
    pinfo.cols.dst = tostring(destination:ipv6()) .. ":" .. destination_port:uint()

    local message_flags = cursor.take(f.flags, 1)
    local session = message_flags and cursor.take(f.session, 2, true)
    local security = session and cursor.take(f.security, 1)
    local counter = security and cursor.take(f.counter, 4, true)
    if not counter then return nil end
    if has(message_flags:uint(), 4) and not cursor.take(f.source_node, 8, true) then return nil end
    local size = message_flags:uint() % 4
    if size == 1 and not cursor.take(f.destination_node, 8, true) then return nil end
    if size == 2 and not cursor.take(nil, 2) then return nil end

    local exchange_flags = cursor.take(f.exchange_flags, 1)
    local opcode = exchange_flags and cursor.take(f.opcode, 1)
    local exchange = opcode and cursor.take(f.exchange, 2, true)
    local protocol = exchange and cursor.take(f.protocol, 2, true)
    if not protocol then return nil end
    tree:add(f.initiator, exchange_flags, has(exchange_flags:uint(), 1))
    tree:add(f.reliable, exchange_flags, has(exchange_flags:uint(), 4))
    if has(exchange_flags:uint(), 2) and not cursor.take(f.acknowledged, 4, true) then return nil end
    local names = OPCODES[protocol:le_uint()] or {}
    local name = names[opcode:uint()] or string.format("opcode 0x%02x", opcode:uint())
    tree:add(f.name, opcode, name)
    local rest = cursor.rest()
    if rest then tree:add(f.payload, rest) end
    pinfo.cols.info = string.format("%s, session %d, exchange %d, counter %d%s", name, session:le_uint(),
        exchange:le_uint(), counter:le_uint(), has(flags:uint(), 4) and ", again" or "")
    return name
end

function matter.dissector(tvb, pinfo, root)
    pinfo.cols.protocol = "Matter"
    local tree = root:add(matter, tvb())
    if not dissect(tvb, pinfo, tree) then tree:add_proto_expert_info(malformed) end
    return tvb:len()
end

-- 45 is wtap.USER0, the encapsulation of link type 147.
DissectorTable.get("wtap_encap"):add(wtap and wtap.USER0 or 45, matter)
