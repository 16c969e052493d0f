"""What happens in which cycle, drawn from a seed before the run: the same seed and options give the same plan."""

import random
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

# A light's place in commissioning that cannot be met here: it is not announced, and is left out for our lights.
NOT_HERE = {"discover", "regulatory"}
ARGUMENTS = {"slow": ["800"], "busy": ["400"], "corrupt": ["tlv", "mic"], "storageSlow": ["400"]}
ARGUMENTS["error"] = ["failure", "busy", "resourceExhausted", "cluster:2", "response:1"]
# After these a light says nothing more, so that time limits, and the fail-safe, must run out.
SILENT = {"silence", "vanish", "reset", "closeSession"}
# The hub's own end would end the process that is measured; tools/interop/faults_kill.py has that.
NOT_MEASURABLE = {"crash"}
METHODS = ["session.prepare", "session.commission", "session.complete", "session.cancel", "devices.remove"]


@dataclass(frozen=True)
class Fault:
    """What goes wrong in a cycle: `of` is device, hub or client; `kind` is its kind; `rule` says exactly what."""

    of: str
    kind: str
    rule: str
    # What a client does after its death: "resume" or "prepare".
    after: str = ""


@dataclass(frozen=True)
class Job:
    """One cycle: which active client does it, what goes wrong in it, and whether it names the device."""

    number: int
    client: int
    fault: Fault | None
    configures: bool


def catalogue(known: list[Json], draw: random.Random) -> list[list[Fault]]:
    """One list of faults for each kind of each party, so that every kind is as likely as any other of its party."""
    kinds: dict[tuple[str, str], list[Fault]] = {}
    stages: list[str] = []
    for entry in known:
        of, kind = entry["of"], entry["kind"]
        if kind in NOT_MEASURABLE:
            continue
        places = [stage for stage in entry["stages"] if of == "hub" or stage not in NOT_HERE]
        if of == "hub":
            places = [place for place in places if place != "regulatory"] + METHODS
        elif len(places) > len(stages):
            stages = places
        for place in places:
            for argument in ARGUMENTS.get(kind, [""]):
                rule = f"{place}:{kind}" + (f"={argument}" if argument else "")
                kinds.setdefault((of, kind), []).append(Fault(of, kind, rule))
    if not kinds or not stages:
        raise ValueError("matterhub faults --list names no fault")
    kinds["client", "cancels"] = [Fault("client", "cancels", stage) for stage in stages]
    afters = ("resume", "prepare")
    kinds["client", "dies"] = [Fault("client", "dies", stage, after) for stage in stages for after in afters]
    kinds["client", "hurries"] = [Fault("client", "hurries", str(ms)) for ms in (20, 60, 120, 200)]
    return [kinds[key] for key in sorted(kinds)]


def draw_plan(known: list[Json], cycles: int, clients: int, percent: float, seed: int) -> list[Job]:
    """The cycles. So many percent of them have a fault, spread evenly over the kinds."""
    draw = random.Random(seed)
    kinds = catalogue(known, draw)
    faulty = set(draw.sample(range(cycles), round(cycles * percent / 100)))
    deck: list[list[Fault]] = []
    jobs = []
    for number in range(cycles):
        fault = None
        if number in faulty:
            if not deck:
                deck = draw.sample(kinds, len(kinds))
            fault = draw.choice(deck.pop())
        jobs.append(Job(number, draw.randrange(clients), fault, draw.random() < 0.2))
    return jobs
