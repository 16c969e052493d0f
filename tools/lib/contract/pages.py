"""Holds the pages in Protocols/, the schema and the program's own list of methods to each other, by their tables."""

import re
from pathlib import Path

from schema import Contract
from world import Failure

ROOT = Path(__file__).resolve().parents[3]
PROTOCOLS = ROOT / "Protocols"


def compare(contract: Contract) -> str:
    """Fails when a method, scope, event, error, reason or stage stands in one place and not in the other."""
    page = (PROTOCOLS / "hub-control.md").read_text(encoding="utf-8")
    session = (PROTOCOLS / "commissioning-session.md").read_text(encoding="utf-8")
    problems: list[str] = []

    def differ(what: str, found: set[str], wanted: set[str]) -> None:
        if found != wanted:
            problems.append(
                f"{what}: only on the page {sorted(found - wanted)}, only in the schema {sorted(wanted - found)}"
            )

    scopes: dict[str, str] = {}
    for row in re.findall(r"^\| (`[a-zA-Z.]+`(?: / `[a-zA-Z.]+`)*) \| ([a-z.]+)", section(page, "### Methods"), re.M):
        for name in re.findall(r"`([a-zA-Z.]+)`", row[0]):
            scopes[name] = row[1]
    differ("methods", set(scopes), set(contract.methods))
    for name, scope in scopes.items():
        words = contract.definitions.get(f"{name}.params", {}).get("description", "")
        if words != ("Needs no grant." if scope == "none" else f"Needs the scope {scope}."):
            problems.append(f"{name}: the page says {scope}, the schema: {words}")
    program = (ROOT / "Sources/HubControl/Messages/ControlMethod.swift").read_text(encoding="utf-8")
    differ("methods (program)", set(re.findall(r'rawValue: "([a-zA-Z.]+)"', program)), set(contract.methods))
    rows = re.findall(r"^\| ((?:`[a-z]+\.[a-z]+`(?:, )?)+) \|", section(page, "## 5"), re.M)
    differ("events", set(re.findall(r"[a-z]+\.[a-z]+", " ".join(rows))), set(contract.events))
    errors = re.findall(r"\| (\d+) \| ([a-zA-Z]+) ", section(page, "## 4"))
    wanted = {name: number for number, name in enumerate(contract.definitions["errorName"]["enum"], 1)}
    if {name: int(number) for number, name in errors} != wanted:
        problems.append(f"error codes: {errors}")
    stages = re.findall(r"^\| `([a-zA-Z]+)` \|", section(session, "## Stages"), re.M)
    if stages != contract.definitions["stage"]["enum"]:
        problems.append(f"stages: {stages}")
    for reason in contract.reasons:
        if not re.search(rf"\b{reason}\b", page + session):
            problems.append(f"no page has the reason {reason}")
    tables = section(session, "## Reasons") + section(page, "### Methods").partition("Reasons of other refusals")[2]
    for cell in re.findall(r"(?:^|\| )\| ((?:`[a-zA-Z]+`(?:, )?)+)", tables, re.M):
        for reason in re.findall(r"`([a-zA-Z]+)`", cell):
            if reason not in contract.reasons:
                problems.append(f"the schema has no reason {reason}")
    title = re.match(r"# Hub control protocol, version (\d+\.\d+)", page)
    version = title[1] if title else "none"
    if version not in contract.schema["title"] or not contract.schema["$id"].endswith(f":{version}"):
        problems.append(f"the page is version {version}, the schema {contract.schema['$id']}")
    if problems:
        raise Failure("; ".join(problems))
    return f"{len(scopes)} methods, {len(contract.events)} events, {len(contract.reasons)} reasons agree"


def section(page: str, heading: str) -> str:
    """The text from a heading to the next one of its level or above."""
    level = heading.split(" ")[0]
    start = page.index(f"\n{heading}") + 1
    end = re.compile(rf"^#{{1,{len(level)}}} ", re.M).search(page, start + len(heading))
    return page[start : end.start() if end else len(page)]
