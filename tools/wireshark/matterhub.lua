-- Wireshark and tshark show the hub's control protocol (Protocols/hub-control.md §1): preface, frames, JSON, and which
-- response answers which request.
--
--   tshark -X lua_script:tools/wireshark/matterhub.lua -r capture.pcapng -Y matterhub
--   Wireshark: copy this file into the folder "Personal Lua Plugins" (Help > About > Folders).
--
-- Found on TCP port 5543, on any other port by the preface, and inside TLS by the ALPN matterhub/1, when Wireshark has
-- the session's keys (SSLKEYLOGFILE).

local matterhub = Proto("matterhub", "MatterHub control protocol")

local KINDS = {
    [1] = "hello", [2] = "welcome", [3] = "request", [4] = "response", [5] = "event", [6] = "ping", [7] = "pong",
    [8] = "goaway",
}
local HEADER, PREFACE, LIMIT = 6, 5, 1048576

local f = {
    preface = ProtoField.string("matterhub.preface", "Preface"),
    major = ProtoField.uint8("matterhub.major", "Major version"),
    length = ProtoField.uint32("matterhub.length", "Payload length"),
    kind = ProtoField.uint8("matterhub.kind", "Kind", base.DEC, KINDS),
    flags = ProtoField.uint8("matterhub.flags", "Flags", base.HEX),
    payload = ProtoField.string("matterhub.payload", "Payload", base.UNICODE),
    id = ProtoField.uint64("matterhub.id", "Request id"),
    method = ProtoField.string("matterhub.method", "Method"),
    event = ProtoField.string("matterhub.event", "Event"),
    number = ProtoField.uint64("matterhub.number", "Event number"),
    error = ProtoField.string("matterhub.error", "Error"),
    response_in = ProtoField.framenum("matterhub.response_in", "Response in", base.NONE, frametype.RESPONSE),
    response_to = ProtoField.framenum("matterhub.response_to", "Request in", base.NONE, frametype.REQUEST),
    time = ProtoField.double("matterhub.time", "Time from request to response (s)"),
}
matterhub.fields = f
local too_long = ProtoExpert.new("matterhub.too_long", "Longer than any payload may be", expert.group.PROTOCOL,
    expert.severity.ERROR)
matterhub.experts = { too_long }

local tcp_stream = Field.new("tcp.stream")
local json = Dissector.get("json")

-- Requests that wait for their response, by stream and id; and matched pairs, by frame number and id.
local waiting, response_of, request_of = {}, {}, {}
function matterhub.init()
    waiting, response_of, request_of = {}, {}, {}
end

-- The text of each member of a JSON object, strings without their quotes; nested values as they stand.
local function members(text)
    local result, position = {}, text:find("{", 1, true)
    if not position then return result end
    position = position + 1
    local function string_end(start)
        local at = start + 1
        while at <= #text do
            local byte = text:sub(at, at)
            if byte == "\\" then
                at = at + 2
            elseif byte == '"' then
                return at
            else
                at = at + 1
            end
        end
        return #text
    end
    while true do
        local start = text:find('"', position, true)
        if not start then return result end
        local stop = string_end(start)
        local name = text:sub(start + 1, stop - 1)
        position = text:find("[^%s:]", stop + 1)
        if not position then return result end
        local from, depth = position, 0
        while position <= #text do
            local byte = text:sub(position, position)
            if byte == '"' then
                position = string_end(position)
            elseif byte == "{" or byte == "[" then
                depth = depth + 1
            elseif byte == "}" or byte == "]" then
                if depth == 0 then break end
                depth = depth - 1
            elseif byte == "," and depth == 0 then
                break
            end
            position = position + 1
        end
        local value = text:sub(from, position - 1):gsub("%s+$", "")
        result[name] = value:match('^"(.*)"$') or value
    end
end

-- Puts request and response together, at the first pass over the packets.
local function match(kind, id, pinfo)
    if pinfo.visited then return end
    local stream = tcp_stream()
    local key = tostring(stream and stream.value) .. ":" .. id
    if kind == 3 then
        waiting[key] = { frame = pinfo.number, time = pinfo.abs_ts }
    elseif waiting[key] then
        local request = waiting[key]
        response_of[request.frame .. ":" .. id] = pinfo.number
        request_of[pinfo.number .. ":" .. id] = { frame = request.frame, seconds = pinfo.abs_ts - request.time }
        waiting[key] = nil
    end
end

local function show_request(object, pinfo, tree, payload)
    tree:add(f.method, payload, object.method or "?")
    local response = object.id and response_of[pinfo.number .. ":" .. object.id]
    if response then tree:add(f.response_in, response):set_generated() end
    return (object.id or "?") .. " " .. (object.method or "?")
end

local function show_response(object, pinfo, tree, payload)
    local words = (object.id or "?") .. " done"
    if object.error then
        local name = members(object.error).name or "?"
        tree:add(f.error, payload, name)
        words = (object.id or "?") .. " " .. name
    end
    local request = object.id and request_of[pinfo.number .. ":" .. object.id]
    if request then
        tree:add(f.response_to, request.frame):set_generated()
        tree:add(f.time, request.seconds):set_generated()
    end
    return words
end

-- What the payload says, as fields; returns the words for the Info column.
local function show_message(kind, text, pinfo, tree, payload)
    local object = members(text)
    if (kind == 3 or kind == 4) and object.id and object.id:match("^%d+$") then
        tree:add(f.id, payload, UInt64(object.id))
        match(kind, object.id, pinfo)
    end
    if kind == 3 then return show_request(object, pinfo, tree, payload) end
    if kind == 4 then return show_response(object, pinfo, tree, payload) end
    if kind == 5 then
        tree:add(f.event, payload, object.event or "?")
        if object.number and object.number:match("^%d+$") then tree:add(f.number, payload, UInt64(object.number)) end
        local stage = members(object.data or "").stage
        return (object.number or "?") .. " " .. (object.event or "?") .. (stage and " " .. stage or "")
    end
    if kind == 8 then
        tree:add(f.error, payload, object.name or "?")
        return object.name or "?"
    end
    return ""
end

-- The Info column of the packet that is being dissected: a packet may hold several units, and the JSON dissector writes
-- its own name there, so all of it is set again after each.
local info = { frame = 0, text = "" }
local function tell(pinfo, words)
    if info.frame == pinfo.number then words = info.text .. ", " .. words end
    info = { frame = pinfo.number, text = words }
    pinfo.cols.protocol = "MatterHub"
    pinfo.cols.info = words
end

local function is_preface(tvb, offset)
    return tvb:len() - offset >= 4 and tvb(offset, 4):uint() == 0x4D485542
end

-- Length of the whole unit that begins at `offset`. No payload is as long as the preface read as a length.
local function unit_length(tvb, _, offset)
    if is_preface(tvb, offset) then return PREFACE end
    local length = tvb(offset, 4):uint()
    if length > LIMIT then return tvb:len() - offset end
    return HEADER + length
end

local function show_unit(tvb, pinfo, root)
    local tree = root:add(matterhub, tvb())
    if is_preface(tvb, 0) then
        tree:add(f.preface, tvb(0, 4))
        tree:add(f.major, tvb(4, 1))
        tree:append_text(", preface")
        tell(pinfo, "preface")
        return tvb:len()
    end
    local length = tvb(0, 4):uint()
    tree:add(f.length, tvb(0, 4))
    if length > LIMIT or tvb:len() < HEADER then
        tree:add_proto_expert_info(too_long)
        tell(pinfo, "longer than any payload may be")
        return tvb:len()
    end
    local kind = tvb(4, 1):uint()
    local name = KINDS[kind] or ("kind " .. kind)
    tree:add(f.kind, tvb(4, 1))
    tree:add(f.flags, tvb(5, 1))
    local words = ""
    if length > 0 then
        local payload = tvb(HEADER, length)
        tree:add(f.payload, payload)
        words = show_message(kind, payload:raw(), pinfo, tree, payload)
        json:call(payload:tvb(), pinfo, tree)
    end
    if words ~= "" then name = name .. " " .. words end
    tree:append_text(", " .. name)
    tell(pinfo, name)
    return tvb:len()
end

function matterhub.dissector(tvb, pinfo, root)
    -- A hub takes TLS and plain connections on the same port.
    local first = tvb(0, 1):uint()
    if pinfo.match_uint == 5543 and first >= 0x14 and first <= 0x17 and tvb:len() > 1 and tvb(1, 1):uint() == 3 then
        return Dissector.get("tls"):call(tvb, pinfo, root)
    end
    info.frame = 0
    dissect_tcp_pdus(tvb, root, PREFACE, unit_length, show_unit)
    return tvb:len()
end

matterhub:register_heuristic("tcp", function(tvb, pinfo, root)
    if not is_preface(tvb, 0) then return false end
    pinfo.conversation = matterhub
    matterhub.dissector(tvb, pinfo, root)
    return true
end)
DissectorTable.get("tcp.port"):add(5543, matterhub)
DissectorTable.get("tls.alpn"):add("matterhub/1", matterhub)
