"""The hub and the virtual lights of a soak run: how they are started, what they say, what they use."""

import asyncio
import json
import os
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import matterhub_cli as cli  # noqa: E402

Json = dict[str, Any]


class Failure(Exception):
    """Why the run cannot go on, in words."""


@dataclass(frozen=True)
class Usage:
    """What a process uses: private memory in bytes, all resident memory in bytes, open descriptors, threads."""

    private: int
    resident: int
    descriptors: int
    threads: int


def usual_descriptor_limit() -> None:
    """Between fork and exec: as few open files as a process may have by default. This program itself needs more."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = 1024 if most == resource.RLIM_INFINITY else min(1024, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))


class Program:
    """One of our programs; its JSON lines can be waited for."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.faults_met = 0
        self._lines: asyncio.Queue[Json | None] = asyncio.Queue()
        self._child: asyncio.subprocess.Process | None = None

    async def start(self, command: list[str]) -> None:
        """Starts it."""
        self._errors = open(self.folder / f"{self.name}.err", "ab")
        self._child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._errors,
            preexec_fn=usual_descriptor_limit,
        )
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._child.stdout is not None
        with open(self.folder / f"{self.name}.log", "ab") as log:
            async for raw in self._child.stdout:
                log.write(raw)
                if not raw.startswith(b"{"):
                    continue
                line = json.loads(raw)
                if line["event"] == "fault":
                    self.faults_met += 1
                elif line["event"] in ("ready", "done", "refused"):
                    self._lines.put_nowait(line)
        self._lines.put_nowait(None)

    async def next(self, event: str) -> Json:
        """The next line, which must be this event."""
        try:
            line = await asyncio.wait_for(self._lines.get(), 60)
        except TimeoutError:
            raise Failure(f"{self.name} did not say “{event}” within 60 s") from None
        if line is None:
            raise Failure(f"{self.name} ended with status {await self._child.wait()}; see {self._errors.name}")
        if line["event"] != event:
            raise Failure(f"{self.name} said {line} in place of “{event}”")
        return line

    async def tell(self, line: str) -> None:
        """Writes a line to its input, and waits until it was obeyed."""
        assert self._child.stdin is not None
        self._child.stdin.write(f"{line}\n".encode())
        await self.next("done")

    def usage(self) -> Usage:
        """What it uses now (proc(5))."""
        folder = Path(f"/proc/{self._child.pid}")
        try:
            rows = dict(row.split(":", 1) for row in (folder / "status").read_text(encoding="ascii").splitlines())
            descriptors = len(os.listdir(folder / "fd"))
        except OSError as error:
            raise Failure(f"{self.name} is gone: {error}; see {self._errors.name}") from error
        return Usage(
            private=int(rows["RssAnon"].split()[0]) * 1024,
            resident=int(rows["VmRSS"].split()[0]) * 1024,
            descriptors=descriptors,
            threads=int(rows["Threads"]),
        )

    async def stop(self) -> int:
        """Ends it by SIGTERM; its status, which is 0 when all is well."""
        if self._child.returncode is None:
            self._child.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self._child.wait(), 30)
        except TimeoutError:
            self._child.kill()
            raise Failure(f"{self.name} did not end within 30 s of SIGTERM") from None
        finally:
            self._errors.close()
        await self._reading
        return status

    def kill(self) -> None:
        """Ends it at once, for a run that failed."""
        if self._child is not None and self._child.returncode is None:
            self._child.kill()


class HubProgram(Program):
    """`matterhub serve` on this machine's loopback, without any announcement."""

    def __init__(self, binary: Path, folder: Path) -> None:
        super().__init__("hub", folder)
        self.binary, self.state = binary, folder / "hub"
        self.port = 0
        self.grant_text = ""

    async def run(self) -> None:
        """Starts it; it serves when this returns."""
        command = cli.serve(self.binary, self.state, port=0, mdns=False)
        await self.start([*command, "--name", "Soak hub", "--allow-faults"])
        ready = await self.next("ready")
        self.port = ready["port"]
        self.grant_text = Path(ready["adminGrant"]).read_text(encoding="utf-8")


class LightProgram(Program):
    """`matterhub device` of an on/off light at an address."""

    def __init__(self, binary: Path, folder: Path, number: int) -> None:
        super().__init__(f"light-{number}", folder)
        self.binary, self.passcode, self.discriminator = binary, 20_202_021 + number, 1_000 + number
        self.code = self.address = ""
        # On the loop's clock: before that it is said to be still busy with an earlier commissioning.
        self.free_at = 0.0

    async def run(self) -> None:
        """Starts it; it can be commissioned when this returns."""
        command = cli.device(
            self.binary,
            self.folder / self.name,
            passcode=self.passcode,
            discriminator=self.discriminator,
            port=0,
            mdns=False,
        )
        await self.start(command)
        ready = await self.next("ready")
        self.code, self.address = ready["qrCode"], f"127.0.0.1:{ready['port']}"


async def known_faults(binary: Path) -> list[Json]:
    """What hubs and devices can do wrong at a time, by `matterhub faults --list`; it lists lasting defects too."""
    child = await asyncio.create_subprocess_exec(
        str(binary), "faults", "--list", "--json", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await child.communicate()
    if child.returncode != 0:
        raise Failure(f"{binary} faults --list ended with status {child.returncode}")
    return [entry for entry in map(json.loads, output.splitlines()) if "kind" in entry]
