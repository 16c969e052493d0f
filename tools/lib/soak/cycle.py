"""One cycle: prepare, commission, complete, remove, with what goes wrong in it; after it everything is as before."""

import asyncio
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable

from crowd import Active
from link import Json, Ledger, Link, Target, Waiting, client
from plan import Job
from programs import LightProgram

# Longer than anything that is not stuck: the fail-safe of a light and the hub's own limits together.
STUCK = 150.0


class Cycles:
    """Does the cycles, one after the other, as a home has one session at a time."""

    def __init__(self, target: Target, admin: client.Grant, ledger: Ledger, lights: list[LightProgram]) -> None:
        self.target, self.admin_grant, self.ledger, self.lights = target, admin, ledger, lights
        self.admin: Link
        # By kind of fault, what became of the cycles.
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        # What each fault led to, and how long its cycle took.
        self.faulty: list[tuple[int, str, str, float]] = []
        self.problems: list[str] = []
        self.seconds: list[float] = []
        # How often a light was still being cleaned when it was wanted again.
        self.still_cleaning = 0
        # Faults of the hub that happened; lights count their own.
        self.hub_faults_met = 0
        # Held by whoever competes for the session, and while the hub has a fault, so that it meets this cycle's client.
        self.peace = asyncio.Lock()
        self._key = 0

    async def open(self) -> None:
        """Connects the administrator."""
        self.admin = await Link.open(self.target, self.ledger, self.admin_grant)

    async def do(self, job: Job, who: Active) -> None:
        """Does one cycle to its end. A problem is kept; only what makes all others senseless is thrown."""
        began = time.monotonic()
        async with who.turn:
            if job.fault and job.fault.of == "hub":
                async with self.peace:
                    outcome, light = await self._with_fault(job, who)
            else:
                outcome, light = await self._with_fault(job, who)
        if who.link.ended is not None:
            await who.connect()
        who.link.may_be_cut = False
        kind = f"{job.fault.of} {job.fault.kind}" if job.fault else "none"
        self.outcomes[kind][outcome] += 1
        if job.fault is None:
            self.seconds.append(time.monotonic() - began)
        else:
            rule = f"{kind} {job.fault.rule} {job.fault.after}".strip()
            self.faulty.append((job.number, rule, outcome, round(time.monotonic() - began, 2)))
        if outcome.startswith(("stuck", "broken")) or job.fault is None and outcome != "done":
            what = job.fault.rule if job.fault else "no fault"
            self.problems.append(f"cycle {job.number} ({kind}, {what}, {light.name}): {outcome}")
            print(f"PROBLEM {self.problems[-1]}", file=sys.stderr, flush=True)

    async def _with_fault(self, job: Job, who: Active) -> tuple[str, LightProgram]:
        """What became of it, and of which light."""
        light = self.lights[0]
        try:
            async with asyncio.timeout(STUCK * 2):
                while True:
                    light = await self._free_light()
                    await self._set(job, light)
                    outcome = await self._attempt(job, who, light)
                    await self._reset(job, light)
                    if outcome != "again":
                        return outcome, light
        except TimeoutError as error:
            outcome = f"stuck: {error or 'it did not end'}"
        except (client.HubError, client.Closed) as error:
            outcome = f"broken: {error}"
        # So that the cycles after it say something of their own.
        await self._reset(job, light)
        await self.admin.call("session.cancel", {"force": True})
        return outcome, light

    async def _free_light(self) -> LightProgram:
        """The light that has been free for the longest."""
        light = min(self.lights, key=lambda light: light.free_at)
        await asyncio.sleep(max(0.0, light.free_at - time.monotonic()))
        light.free_at = time.monotonic()
        return light

    async def _set(self, job: Job, light: LightProgram) -> None:
        if job.fault and job.fault.of == "device":
            await light.tell(f"faults {job.fault.rule}")
        elif job.fault and job.fault.of == "hub":
            await self.admin.call("faults.set", {"rules": [job.fault.rule]})

    async def _reset(self, job: Job, light: LightProgram) -> None:
        if job.fault and job.fault.of == "device":
            await light.tell("faults")
        elif job.fault and job.fault.of == "hub":
            faults = (await self.admin.call("faults.list"))["faults"]
            self.hub_faults_met += sum(entry["met"] for entry in faults)
            await self.admin.call("faults.set", {"rules": []})
            await self.admin.call("hub.setReachable", {"reachable": True})

    # What the owner of the session does

    async def _attempt(self, job: Job, who: Active, light: LightProgram) -> str:
        """What became of it: done, failed with a reason, or again when the light is still being cleaned."""
        who.link.may_be_cut = job.fault is not None
        await self._prepare(who)
        try:
            await self._commission(job, who, light)
        except client.HubError as error:
            if error.goaway:
                raise
            await self._cancel(who)
            # Its fail-safe of an earlier cycle is still armed; that it is busy may also be what its fault says.
            if error.reason == "stillCleaning" or error.reason == "deviceBusy" and job.fault is None:
                light.free_at = time.monotonic() + error.error.get("retryAfterMs", 1_000) / 1000
                self.still_cleaning += 1
                return "again"
            return f"failed {error.reason or error.name}"
        if job.configures:
            await self._persist(who, "session.configure", lambda: {"deviceName": f"Lamp {job.number}"})
        devices = (await self._persist(who, "session.complete", self._with_key))["deviceIds"]
        for device in devices:
            await self._use(job, who, device)
            await self._remove(who, device)
        light.free_at = time.monotonic()
        return "done" if len(devices) == 1 else f"broken: {len(devices)} devices"

    def _with_key(self) -> Json:
        self._key += 1
        return {"clientKey": f"key-{self._key}"}

    async def _prepare(self, who: Active) -> None:
        """Until it has the session: another client may hold it for a moment."""
        deadline = time.monotonic() + STUCK
        while True:
            try:
                await who.link.call("session.prepare")
                return
            except client.HubError as error:
                if error.goaway or time.monotonic() > deadline:
                    raise
                if error.reason == "hubOffline":
                    await self.admin.call("hub.setReachable", {"reachable": True})
                elif error.reason not in ("sessionActive", "storage"):
                    raise
                await asyncio.sleep(0.005)
            except client.Closed:
                await self._again(who)

    async def _commission(self, job: Job, who: Active, light: LightProgram) -> None:
        params = {"payload": light.code, "address": light.address, **self._with_key()}
        # A light that does not answer costs this much of a fault's cycle.
        params["deadlineMs"] = 8_000 if job.fault else 60_000
        if job.fault and job.fault.of == "client":
            if job.fault.kind == "hurries":
                params["deadlineMs"] = int(job.fault.rule)
            else:
                await self._interrupted(job, who, params)
                return
        while True:
            try:
                await who.link.call("session.commission", params, STUCK)
                return
            except client.Closed:
                # The same key: the first answer, however the connection ended.
                await self._again(who)

    async def _interrupted(self, job: Job, who: Active, params: Json) -> None:
        """Commissions, and cancels or dies when the stage begins."""
        assert job.fault is not None
        reached = asyncio.Event()

        def heard(event: Json) -> None:
            if event["event"] == "session.stage" and event["data"]["stage"] == job.fault.rule:
                reached.set()

        await who.link.call("events.subscribe")
        who.link.on_event = heard
        try:
            running = who.link.begin("session.commission", params)
            stage = asyncio.create_task(reached.wait())
            await asyncio.wait({stage, running.future}, timeout=STUCK, return_when=asyncio.FIRST_COMPLETED)
            stage.cancel()
            if job.fault.kind == "cancels":
                await self._cancel(who)
                # Cancelled, or done just before: then the session had ended all the same.
                await who.link.answer(running, STUCK)
                raise client.HubError({"name": "cancelled", "message": "cancelled after it was done"})
        finally:
            who.link.on_event = None
        await self._died(job, who, params, running)

    async def _died(self, job: Job, who: Active, params: Json, running: Waiting) -> None:
        """Its connection is gone; the same app comes back and goes on, or begins anew."""
        assert job.fault is not None
        who.link.abort()
        await self._again(who)
        if job.fault.after == "resume":
            # The same key waits for the answer of the one that runs, or gives the one that was lost.
            await who.link.call("session.commission", params, STUCK)
            return
        await self._prepare(who)
        raise client.HubError({"name": "cancelled", "message": "its owner prepared anew"})

    async def _persist(self, who: Active, method: str, params: Callable[[], Json]) -> Json:
        """Until it works: a store that fails once, a connection that is cut."""
        message = params()
        for _ in range(5):
            try:
                return await who.link.call(method, message)
            except client.Closed:
                await self._again(who)
            except client.HubError as error:
                if error.reason != "storage":
                    raise
                message = params()
        raise client.HubError({"name": "internal", "message": f"{method} fails again and again"})

    async def _use(self, job: Job, who: Active, device: str) -> None:
        """Switches it; nothing goes wrong with that."""
        if job.fault is None and job.number % 4 == 0:
            await who.link.call("devices.invoke", {"id": device, "endpoint": 1, "cluster": 6, "command": 2})
            await who.link.call("devices.read", {"id": device, "endpoint": 1, "cluster": 6, "attribute": 0})

    async def _remove(self, who: Active, device: str) -> None:
        deadline = time.monotonic() + STUCK
        while True:
            try:
                await who.link.call("devices.remove", {"id": device})
                return
            except client.Closed:
                await self._again(who)
            except client.HubError as error:
                if error.reason == "noDevice" or error.name == "notFound":
                    # The answer was lost with the connection.
                    return
                if error.goaway or error.reason not in ("storage", "hubOffline") or time.monotonic() > deadline:
                    raise
                if error.reason == "hubOffline":
                    await self.admin.call("hub.setReachable", {"reachable": True})

    async def _cancel(self, who: Active) -> None:
        while True:
            try:
                await who.link.call("session.cancel")
                return
            except client.Closed:
                await self._again(who)
            except client.HubError as error:
                if error.reason == "notOwner":
                    # Ours had ended already, and somebody else was faster.
                    return
                if error.reason != "storage":
                    raise

    async def _again(self, who: Active) -> None:
        """Connects again, with the same grant."""
        await who.connect()
        who.link.may_be_cut = True
