"""The whole run: programs, crowd, cycles, and the checks that nothing is left."""

import asyncio
import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from crowd import MANNERS, Active, Idle, die
from cycle import STUCK, Cycles
from link import Json, Ledger, Link, Target, client
from plan import SILENT, Job, draw_plan
from programs import Failure, HubProgram, LightProgram, Program, Usage, known_faults
from report import Report

SCOPES = ["structure.read", "device.control", "commissioning"]
# So many problems say enough.
ENOUGH_PROBLEMS = 8


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    binary: Path
    folder: Path
    cycles: int
    clients: int
    active: int
    lights: int
    faults: float
    die_every: int
    quick: bool
    seed: int
    json: Path | None


class Soak:
    """One run."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.ledger = Ledger()
        self.hub = HubProgram(options.binary, options.folder)
        self.lights = [LightProgram(options.binary, options.folder, n + 1) for n in range(options.lights)]
        self.programs: list[Program] = [self.hub, *self.lights]
        self.samples: dict[str, list[tuple[int, Usage]]] = {program.name: [] for program in self.programs}
        self.deaths: Counter[str] = Counter()
        self.problems: list[str] = []
        self.facts: Json = {}
        self._shown = 0.0

    async def run(self) -> Report:
        """Does all of it; whatever happens, no program is left."""
        try:
            await self._run()
        except (Failure, client.HubError, client.Closed, client.Untrusted, TimeoutError, OSError) as failure:
            self.problems.append(f"the run ended: {type(failure).__name__}: {failure}")
        finally:
            for program in self.programs:
                program.kill()
        return Report(self.options.cycles, self.samples, self.facts, self.problems)

    async def _run(self) -> None:
        wanted = self.options
        known = await known_faults(wanted.binary)
        if wanted.quick:
            known = [entry for entry in known if entry["kind"] not in SILENT]
        plan = draw_plan(known, wanted.cycles, wanted.active, wanted.faults, wanted.seed)
        await self.hub.run()
        await asyncio.gather(*(light.run() for light in self.lights))
        admin = client.Grant.parse(self.hub.grant_text)
        target = await asyncio.to_thread(Target.of, "127.0.0.1", self.hub.port, admin)
        cycles = Cycles(target, admin, self.ledger, self.lights)
        await cycles.open()
        grants = [await self._grant(cycles.admin, f"active-{n}", SCOPES) for n in range(wanted.active)]
        idle = Idle(target, await self._grant(cycles.admin, "idle", ["structure.read"]), self.ledger)
        mortal = await self._grant(cycles.admin, "mortal", ["structure.read"])
        active = [
            Active(n, target, grant, self.ledger, wanted.seed, cycles.peace) for n, grant in enumerate(grants)
        ]
        # Each light once, so that all have opened what they keep open.
        await active[0].connect()
        for _ in self.lights:
            await cycles.do(Job(-1, 0, None, False), active[0])
        await active[0].link.close()
        await cycles.admin.close()
        before = await self._quiet_descriptors()
        await cycles.open()
        await idle.gather(wanted.clients)
        for one in active:
            await one.connect()
        await self._cycles(plan, cycles, active, target, mortal)
        await self._settle(cycles, active)
        self.problems += cycles.problems + idle.problems() + [word for one in active for word in one.problems]
        self.facts["listeners"] = [len(heard) for heard in idle.heard]
        self.facts["pings"] = sum(link.pings for link in idle.links)
        await idle.close()
        for one in active:
            await one.link.close()
        await cycles.admin.close()
        await self._descriptors_back(before)
        for program in reversed(self.programs):
            if status := await program.stop():
                self.problems.append(f"{program.name} ended with status {status} at SIGTERM")
        self._check_file()
        self._account(cycles, active)

    async def _grant(self, admin: Link, name: str, scopes: list[str]) -> client.Grant:
        params = {"appId": f"soak.{name}", "appGroup": f"group.soak.{name}", "scopes": scopes}
        return client.Grant.parse((await admin.call("grants.create", params))["grant"])

    # The cycles

    async def _cycles(
        self, plan: list[Job], cycles: Cycles, active: list[Active], target: Target, mortal: client.Grant
    ) -> None:
        stop = asyncio.Event()
        chatter = [asyncio.create_task(one.chatter(stop, 0.5)) for one in active]
        step = max(1, len(plan) // 400)
        began = time.monotonic()
        deaths: set[asyncio.Task[None]] = set()
        for job in plan:
            if job.number % self.options.die_every == 0:
                manner = MANNERS[job.number // self.options.die_every % len(MANNERS)]
                self.deaths[manner] += 1
                death = asyncio.create_task(die(target, mortal, manner, self.ledger))
                deaths.add(death)
            await cycles.do(job, active[job.client])
            for death in [death for death in deaths if death.done()]:
                death.result()
                deaths.remove(death)
            if job.number % step == 0:
                self._sample(job.number)
            self._progress(job.number + 1, cycles, began)
            if len(cycles.problems) >= ENOUGH_PROBLEMS:
                self.problems.append(f"stopped after cycle {job.number}: {len(cycles.problems)} problems are enough")
                break
        await asyncio.gather(*deaths)
        stop.set()
        await asyncio.gather(*chatter)
        self.facts["cyclesSeconds"] = round(time.monotonic() - began, 1)

    def _sample(self, number: int) -> None:
        for program in self.programs:
            self.samples[program.name].append((number, program.usage()))

    def _progress(self, done: int, cycles: Cycles, began: float) -> None:
        if time.monotonic() < self._shown + 5 and done != self.options.cycles:
            return
        self._shown = time.monotonic()
        usage = self.hub.usage()
        problems = f", {len(cycles.problems)} problems" if cycles.problems else ""
        print(
            f"cycle {done}/{self.options.cycles}, {done / (time.monotonic() - began):.1f}/s, hub "
            f"{usage.private / 2**20:.1f} MiB, {usage.descriptors} descriptors{problems}",
            file=sys.stderr,
            flush=True,
        )

    # Afterwards

    async def _settle(self, cycles: Cycles, active: list[Active]) -> None:
        """Waits until all is cleaned, then does a cycle with every light, and asks the hub what is left."""
        deadline = time.monotonic() + STUCK
        began = time.monotonic()
        while orphans := (await cycles.admin.call("devices.list", {"orphans": True}))["devices"]:
            if time.monotonic() > deadline:
                self.problems.append(f"orphans are left: {orphans}")
                break
            for orphan in orphans:
                try:
                    await cycles.admin.call("orphans.retry", {"id": orphan["id"]})
                except client.HubError:
                    pass  # It has gone meanwhile, or is tried again.
            await asyncio.sleep(2)
        for light in self.lights:
            cycles.lights = [light]
            await cycles.do(Job(self.options.cycles, 0, None, False), active[0])
        self.facts["settledSeconds"] = round(time.monotonic() - began, 1)
        for what, params in (("devices", {}), ("orphans", {"orphans": True})):
            self.facts[what] = len((await cycles.admin.call("devices.list", params))["devices"])
            if self.facts[what]:
                self.problems.append(f"{self.facts[what]} {what} are left")
        try:
            session = await cycles.admin.call("session.get")
            self.problems.append(f"a session is left: {session}")
        except client.HubError as error:
            if error.name != "notFound":
                raise
        self.facts["sessions"] = sum("session" in problem for problem in self.problems)

    async def _quiet_descriptors(self) -> dict[str, int]:
        """Descriptors of each program, when they have stopped changing."""
        last: dict[str, int] = {}
        for _ in range(40):
            now = {program.name: program.usage().descriptors for program in self.programs}
            if now == last:
                return now
            last = now
            await asyncio.sleep(0.5)
        raise Failure(f"descriptors do not come to rest: {last}")

    async def _descriptors_back(self, before: dict[str, int]) -> None:
        deadline = time.monotonic() + 60
        while True:
            now = {program.name: program.usage().descriptors for program in self.programs}
            more = {name: count for name, count in now.items() if count > before[name]}
            if not more or time.monotonic() > deadline:
                break
            await asyncio.sleep(0.5)
        self.facts["descriptors"] = {name: [before[name], now[name]] for name in now}
        for name in more:
            self.problems.append(f"{name} has {now[name]} descriptors, and had {before[name]} before the clients came")

    def _check_file(self) -> None:
        """What the store says when the hub has ended."""
        with sqlite3.connect(f"file:{self.hub.state / 'hub.sqlite'}?mode=ro", uri=True) as store:
            rows = {
                table: store.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("nodes", "endpoints", "devices", "answers", "spent_nodes", "spent_devices")
            }
        self.facts["rows"] = rows
        for table in ("nodes", "endpoints", "devices"):
            if rows[table]:
                self.problems.append(f"{rows[table]} rows are left in the table {table} of the store")

    def _account(self, cycles: Cycles, active: list[Active]) -> None:
        ledger = self.ledger
        for what, counter in (("lost with its connection", ledger.lost), ("not answered in time", ledger.overdue)):
            self.problems += [f"{count} × {method} was {what}" for method, count in counter.items()]
        self.problems += ledger.strange[:5]
        if left := ledger.open_now():
            self.problems.append(f"{left} requests have no answer")
        self.facts |= {
            "options": {
                name: value for name, value in vars(self.options).items() if name not in ("binary", "folder", "json")
            },
            "outcomes": {kind: dict(counter) for kind, counter in sorted(cycles.outcomes.items())},
            "faulty": cycles.faulty,
            "faultsMet": {"hub": cycles.hub_faults_met, "device": sum(light.faults_met for light in self.lights)},
            "stillCleaning": cycles.still_cleaning,
            "cycleSeconds": sorted(round(seconds, 3) for seconds in cycles.seconds),
            "competed": sum(one.competed for one in active),
            "deaths": dict(self.deaths),
            "requests": {
                "sent": ledger.sent.total(),
                "results": ledger.results.total(),
                "refused": ledger.refusals.total(),
                "cut": ledger.cut.total(),
                "lost": ledger.lost.total(),
                "overdue": ledger.overdue.total(),
                "answeredTwice": len(ledger.strange),
            },
            "refusals": dict(ledger.refusals),
            "goodbyes": dict(ledger.goodbyes),
            "slowest": {method: round(seconds, 3) for method, seconds in sorted(ledger.slowest.items())},
        }


__all__ = ["Options", "Soak"]
