"""`matterhub transcript` on golden transcripts: each is replayed to a fresh hub, which must answer as it did; and the
transcripts that hub and client write of the same connections are the same, and have no secret in them.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import matterhub_cli as cli  # noqa: E402
import transcripts  # noqa: E402
from scenarios import same  # noqa: E402
from world import Failure, Program, Relay, World  # noqa: E402


class Replay:
    """One transcript, replayed to a world's hub."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.path = transcripts.FOLDER / f"{name}.jsonl"
        self.rows = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
        self._values: list[str] = []
        self._secrets: list[str] = []

    def grant(self, *scopes: str, app: str = "org.example.app") -> "Replay":
        """Stands for the next <grant-text-…>; in a file, so that it is on no command line."""
        grant = transcripts.granted(self.world, *scopes, app=app).text
        self._secrets.append(grant.rpartition(".")[2])
        path = self.world.folder / f"grant-{len(self._secrets)}"
        path.write_text(grant, encoding="utf-8")
        self._values += ["--set", f"grant-text-{len(self._secrets)}=@{path}"]
        return self

    def device(self, code: str, address: str) -> "Replay":
        """Stands for the device."""
        self._values += ["--code", code, "--address", address]
        return self

    def line(self, **members: object) -> int:
        """The first line whose payload has these members, or whose event's data has."""
        for number, row in enumerate(self.rows, 1):
            payload = row.get("payload", {})
            if members.items() <= payload.items() or members.items() <= payload.get("data", {}).items():
                return number
        raise Failure(f"{self.path.name} has no frame with {members}")

    def run(self, relay: Relay | None = None, hold: int = 0, release: int = 0) -> str:
        """Replays. What a relay's device says is held from one line of the transcript on, until another one."""
        command = cli.replay(self.world.binary, self.path, f"127.0.0.1:{self.world.port}", *self._values)
        program = Program(f"replay-{self.name}", command, self.world.folder)
        differences: list[str] = []
        try:
            while True:
                step = program.wait_for(lambda _: True, 60)
                if relay and step.get("line") == hold:
                    relay.hold()
                if relay and step.get("line") == release:
                    relay.release()
                if step["event"] == "differs":
                    differences.append(json.dumps(step, ensure_ascii=False))
                if step["event"] == "finished":
                    break
        finally:
            program.stop()
        if differences:
            raise Failure("the hub does not answer as in the transcript:\n  " + "\n  ".join(differences))
        same(step["passed"], len(self.rows) - 1, "frames that passed")
        self.check_recording()
        return f"{step['passed']} frames"

    def check_recording(self) -> None:
        """What the hub wrote down of the replay is what the golden transcript has, without the grants."""
        recorded = self.world.folder / "hub.jsonl"
        text = recorded.read_text(encoding="utf-8")
        for secret in self._secrets:
            if secret in text:
                raise Failure(f"the secret of a grant is in {recorded}")
        # The administrator's connections were recorded too: leave them out.
        labels = {row["connection"] for row in map(json.loads, text.splitlines()) if self._is_replayed(row)}
        lines = [line for line in text.splitlines() if json.loads(line).get("connection") in labels]
        mine = self.world.folder / "recorded.jsonl"
        mine.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = cli.compare(self.world.binary, self.path, mine)
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        if result.returncode:
            raise Failure(f"the hub's own transcript differs:\n{result.stdout[-2000:]}{result.stderr[-500:]}")

    @staticmethod
    def _is_replayed(row: dict) -> bool:
        grant = row.get("payload", {}).get("grant")
        return row.get("kind") == "welcome" and isinstance(grant, dict) and grant["appId"].startswith("org.example.")


def seed_flow(world: World) -> str:
    """With a light."""
    replay = Replay(world, "seed-flow").grant("structure.read", "device.control", "commissioning")
    return replay.device(*transcripts.device(world)).run()


def refused_prepare(world: World) -> str:
    """Two apps."""
    replay = Replay(world, "refused-prepare").grant("commissioning").grant("commissioning", app="org.example.other")
    return replay.run()


def held(world: World, replay: Replay, release: int) -> str:
    """With a light that says nothing from the stage csr on, until a frame of the client."""
    code, address = transcripts.device(world)
    relay = world.relay(int(address.rpartition(":")[2]))
    relay.delay(0.15)
    return replay.device(code, relay.address).run(relay, replay.line(stage="csr"), release)


def cancel_in_a_stage(world: World) -> str:
    """The light is silent until the cancel."""
    replay = Replay(world, "cancel-in-a-stage").grant("structure.read", "commissioning")
    return held(world, replay, replay.line(method="session.cancel"))


def resume_after_reconnect(world: World) -> str:
    """The light is silent until the client has come back and asked again."""
    replay = Replay(world, "resume-after-reconnect").grant("structure.read", "commissioning")
    requests = [(number, row.get("payload", {}).get("method")) for number, row in enumerate(replay.rows, 1)]
    asked = max(number for number, method in requests if method == "session.commission")
    return held(world, replay, asked)


ALL: list[Callable[[World], str]] = [seed_flow, refused_prepare, cancel_in_a_stage, resume_after_reconnect]
