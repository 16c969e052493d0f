"""Validates recorded frames against Protocols/hub-control.schema.json, counts what they exercise, and shows that the
validator can refuse."""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from recording import Entry

Json = dict[str, Any]
SCHEMA = Path(__file__).resolve().parents[3] / "Protocols" / "hub-control.schema.json"
KINDS = ("hello", "welcome", "request", "response", "event", "ping", "pong", "goaway")


class Contract:
    """The schema, in two readings: as written, where objects may have more members, and closed, where every member
    must be described; our own hub has to fit the second."""

    def __init__(self) -> None:
        self.schema: Json = json.loads(SCHEMA.read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(self.schema)
        self.definitions: Json = self.schema["$defs"]
        closed = closed_form(self.schema)
        self._readings = {"open": self.schema, "closed": closed}
        self._validators: dict[tuple[str, str], Draft202012Validator] = {}

    @property
    def methods(self) -> list[str]:
        """The methods that the schema names."""
        return list(self.definitions["method"]["enum"])

    @property
    def events(self) -> list[str]:
        """The events that the schema names."""
        return list(self.definitions["event"]["enum"])

    @property
    def reasons(self) -> list[str]:
        """The error reasons that the schema names."""
        return list(self.definitions["reason"]["enum"])

    def errors(self, definition: str, value: Any, reading: str = "closed") -> list[str]:
        """What a definition has against a value."""
        key = (definition, reading)
        if key not in self._validators:
            root = {**self._readings[reading], "$ref": f"#/$defs/{definition}"}
            for word in ("type", "properties", "additionalProperties", "required", "allOf"):
                root.pop(word, None)
            self._validators[key] = Draft202012Validator(root)
        return [
            f"{'/'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}"
            for error in self._validators[key].iter_errors(value)
        ]


def closed_form(schema: Any, conditional: bool = False) -> Any:
    """The schema with every object closed to members that it does not describe; conditions stay as they are."""
    if isinstance(schema, list):
        return [closed_form(entry, conditional) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {
        name: closed_form(entry, conditional or name in ("if", "then", "oneOf", "allOf"))
        for name, entry in schema.items()
    }
    if schema.get("type") == "object" and not conditional and "properties" in schema:
        result.setdefault("additionalProperties", False)
    return result


class Traffic:
    """What recordings hold, judged."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.problems: list[str] = []
        self.kinds: Counter[str] = Counter()
        self.methods: Counter[str] = Counter()
        self.results: Counter[str] = Counter()
        self.events: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.refused_on_purpose = 0
        # (definition, value) of every judged payload, for the mutations.
        self.judged: list[tuple[str, Any]] = []
        self._asked: dict[tuple[str, int, int], str] = {}

    def take(self, entries: list[Entry]) -> None:
        """Judges one recording."""
        self._asked = {}
        for entry in entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        if entry.kind not in KINDS:
            return
        self.kinds[entry.kind] += 1
        payload = entry.payload
        if entry.faulty:
            self.refused_on_purpose += 1
            if not self.contract.errors(f"frame.{entry.kind}", payload, "open"):
                self.problems.append(f"the schema takes a message that breaks the contract: {payload}")
        else:
            # A client may know a later version; what our hub says must be described.
            self._judge(f"frame.{entry.kind}", payload, "open" if entry.sender == "client" else "closed")
        if entry.kind == "request" and isinstance(payload.get("id"), int):
            self._asked[(entry.connection, entry.number, payload["id"])] = payload.get("method", "")
            if not entry.faulty:
                self.methods[payload["method"]] += 1
        elif entry.kind == "response":
            self._take_response(entry)
        elif entry.kind == "event":
            self.events[payload["event"]] += 1
            self._judge(f"{payload['event']}.data", payload["data"])
        elif entry.kind == "goaway" and entry.sender == "hub":
            self.errors[f"goaway {payload['name']}"] += 1

    def _take_response(self, entry: Entry) -> None:
        payload = entry.payload
        method = self._asked.pop((entry.connection, entry.number, payload["id"]), None)
        if method is None:
            self.problems.append(f"a response to nothing, or a second one: {payload}")
        elif "result" in payload:
            self.results[method] += 1
            self._judge(f"{method}.result", payload["result"])
        else:
            error = payload["error"]
            self._judge("error", error)
            self.errors[error["name"]] += 1
            if "reason" in error.get("details", {}):
                self.reasons[error["details"]["reason"]] += 1

    def _judge(self, definition: str, value: Any, reading: str = "closed") -> None:
        self.judged.append((definition, value))
        for problem in self.contract.errors(definition, value, reading):
            self.problems.append(f"{definition}: {problem}")

    def missing(self, excused: dict[str, str]) -> list[str]:
        """What the schema names and the traffic never showed, without an excuse; and excuses that are not needed."""
        named = (
            [(f"kind {kind}", self.kinds[kind]) for kind in KINDS]
            + [(f"result of {method}", self.results[method]) for method in self.contract.methods]
            + [(f"event {event}", self.events[event]) for event in self.contract.events]
            + [(f"reason {reason}", self.reasons[reason]) for reason in self.contract.reasons]
        )
        problems = [f"never seen: {what}" for what, count in named if not count and what not in excused]
        problems += [f"seen, and excused all the same: {what}" for what, count in named if count and what in excused]
        problems += [f"excused, and not in the schema: {what}" for what in excused if what not in dict(named)]
        return problems

    def mutate(self) -> tuple[int, list[str]]:
        """Spoils one message of each shape in every way that `mutations` knows; each must be refused."""
        shapes: dict[tuple[str, ...], tuple[str, Any]] = {}
        for definition, value in self.judged:
            if isinstance(value, dict):
                shapes.setdefault(
                    (definition, *sorted(value), str(value.get("method", value.get("event")))), (definition, value)
                )
        count, problems = 0, []
        for definition, value in shapes.values():
            for words, spoilt, reading in mutations(self.contract.definitions, definition, value):
                count += 1
                if not self.contract.errors(definition, spoilt, reading):
                    problems.append(f"not refused: {definition} {words}: {json.dumps(spoilt)[:200]}")
        return count, problems


def mutations(definitions: Json, definition: str, value: Json) -> Iterator[tuple[str, Json, str]]:
    """(what was done, the spoilt value, by which reading it must be refused)."""
    shape = definitions[definition]
    while "$ref" in shape:
        shape = definitions[shape["$ref"].rpartition("/")[2]]
    if "properties" not in shape and shape.get("type") == "object" and definition in ("frame.ping", "frame.pong"):
        return
    yield "with a member that nothing describes", {**value, "surplus": 1}, "closed"
    for name in shape.get("required", []):
        yield f"without {name}", {key: entry for key, entry in value.items() if key != name}, "open"
    for name in value:
        if name in shape.get("properties", {}) and not any_value(definitions, shape["properties"][name]):
            spoilt = copy.deepcopy(value)
            spoilt[name] = {"not": ["what", "belongs", "here"]} if not isinstance(value[name], dict) else 7
            yield f"with a wrong {name}", spoilt, "open"


def any_value(definitions: Json, shape: Json) -> bool:
    """Whether a member takes any JSON value at all that a mutation would put there."""
    return shape == {} or shape.get("$ref", "").endswith("/value")
