"""conformance.py --binary FILE --out FOLDER [--subject hub|device] [--broken] [--patient] [--only PATTERN]
[--only-device PATTERN]: the suites of matterhub on our own hub and device, and on broken ones, in this network
(tools/conformance).

Exit status: 0 nothing failed, and every defect was seen; 1 otherwise.
"""

import argparse
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import matterhub_cli as cli

Json = dict[str, object]


class Program:
    """One of our programs, whose JSON lines can be waited for."""

    def __init__(self, command: list[object], errors: Path) -> None:
        self._errors = open(errors, "ab")
        self._child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._lines: queue.Queue[Json | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._child.stdout or ():
            if line.startswith("{"):
                self._lines.put(json.loads(line))
        self._lines.put(None)

    def wait_for(self, matches: Callable[[Json], bool], seconds: float = 30) -> Json:
        """The next JSON line that matches."""
        deadline = time.monotonic() + seconds
        while True:
            line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            if line is None:
                raise SystemExit(f"a program ended early; see {self._errors.name}")
            if matches(line):
                return line

    def stop(self) -> None:
        """Ends it."""
        self._child.terminate()
        self._child.wait(20)
        self._errors.close()


class Run:
    """The options, and what went wrong."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.binary, self.out, self.options = options.binary, options.out, options
        self.problems: list[str] = []

    @contextmanager
    def hub(self, name: str, mdns: bool = True) -> Iterator[tuple[int, Path]]:
        """A hub of ours with a state of its own: its port and the file of its grant."""
        state = Path(tempfile.mkdtemp(prefix="matterhub-"))
        program = Program(cli.serve(self.binary, state, port=0, mdns=mdns), self.out / f"{name}.err")
        try:
            ready = program.wait_for(cli.serves)
            if mdns:
                program.wait_for(cli.advertised)
            yield int(str(ready["port"])), Path(str(ready["adminGrant"]))
        finally:
            program.stop()
            shutil.rmtree(state, ignore_errors=True)

    def hubs(self) -> None:
        """The suite on our hub, with its reports; what it prints goes to our own output."""
        print("\n== hub", flush=True)
        reports = {"tap": self.out / "hub.tap", "junit": self.out / "hub.xml", "html": self.out / "hub.html"}
        with self.hub("hub") as (port, grant):
            command = cli.conformance_hub(
                self.binary,
                f"127.0.0.1:{port}",
                grant,
                patient=self.options.patient,
                filters=self.options.only,
                reports=reports,
            )
            status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
        if status:
            self.problems.append(f"the suite on our hub ended with status {status}")

    @contextmanager
    def light(self, name: str, *words: str, mdns: bool = True) -> Iterator[Json]:
        """A light of ours that waits to be commissioned: what it says of itself."""
        state = Path(tempfile.mkdtemp(prefix="matterhub-"))
        command = [*cli.device(self.binary, state, port=0, mdns=mdns), *words]
        program = Program(command, self.out / f"{name}.err")
        try:
            yield program.wait_for(cli.stands_ready)
        finally:
            program.stop()
            shutil.rmtree(state, ignore_errors=True)

    def devices(self) -> None:
        """The suite on our light, with its reports."""
        print("\n== device", flush=True)
        reports = {form: self.out / f"device.{end}" for form, end in (("tap", "tap"), ("junit", "xml"), ("html", "html"))}
        with self.light("device") as ready:
            command = cli.conformance_device(
                self.binary, str(ready["qrCode"]), filters=self.options.only_device, reports=reports
            )
            status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
        if status:
            self.problems.append(f"the suite on our light ended with status {status}")

    def broken_devices(self) -> None:
        """Every case on every broken light; a table of what fails."""
        listed = subprocess.run(cli.fault_kinds(self.binary), capture_output=True, text=True, check=True).stdout
        rows = [json.loads(line) for line in listed.splitlines() if line.startswith("{")]
        defects = [row for row in rows if "defect" in row]
        print("\n== broken devices: the cases that fail", flush=True)
        with ThreadPoolExecutor(4) as beside:
            for defect, failed in zip(defects, beside.map(self.failing_device, defects), strict=True):
                print(f"{defect['defect']:<24} {', '.join(sorted(failed)) or '-'}", flush=True)
                # With --only the cases that must see it may not have been asked for.
                if not failed and not self.options.only_device:
                    self.problems.append(f"{defect['defect']} was not seen")
        print(f"{len(defects)} defects", flush=True)

    def failing_device(self, defect: Json) -> set[str]:
        """The names of the cases that failed on one broken light."""
        name = f"broken-{defect['defect']}"
        # What it announces is seen by mDNS only.
        with self.light(name, "--defect", str(defect["defect"])) as ready:
            suite = cli.conformance_device(
                self.binary, str(ready["qrCode"]), filters=self.options.only_device, json=True
            )
            result = subprocess.run(suite, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        (self.out / f"{name}.jsonl").write_text(result.stdout, encoding="utf-8")
        lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        return {str(line["case"]) for line in lines if line.get("outcome") == "failed"}

    def broken(self) -> None:
        """Every case on every broken hub; a table of what fails."""
        listed = subprocess.run(cli.broken_hubs(self.binary), capture_output=True, text=True, check=True).stdout
        defects = [json.loads(line) for line in listed.splitlines()]
        print("\n== broken hubs: which must-fail cases failed, and how many others did", flush=True)
        with ThreadPoolExecutor(4) as beside:
            for defect, (tried, failed) in zip(defects, beside.map(self.failing, defects), strict=True):
                # With --only some of them were not asked for.
                wanted = set(defect["failing"]) & tried
                seen = wanted & failed
                print(f"{defect['defect']:<24} {len(seen)} of {len(wanted)}, {len(failed - wanted)} others", flush=True)
                if seen != wanted:
                    self.problems.append(f"{defect['defect']} was not seen by {', '.join(sorted(wanted - seen))}")
        print(f"{len(defects)} defects", flush=True)

    def failing(self, defect: Json) -> tuple[set[str], set[str]]:
        """The names of the cases that were run on one broken hub, and of those that failed."""
        name = f"broken-{defect['defect']}"
        with self.hub(name, mdns=False) as (port, grant):
            own = grant.with_name("broken.grant")
            command = cli.broken_hub(self.binary, str(defect["defect"]), f"127.0.0.1:{port}", grant, own)
            broken = Program(command, self.out / f"{name}.err")
            try:
                ready = broken.wait_for(cli.serves)
                suite = cli.conformance_hub(
                    self.binary,
                    f"127.0.0.1:{ready['port']}",
                    own,
                    mdns=False,
                    patience=4,
                    filters=self.options.only,
                    json=True,
                )
                result = subprocess.run(suite, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            finally:
                broken.stop()
        (self.out / f"{name}.jsonl").write_text(result.stdout, encoding="utf-8")
        lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        outcomes = {str(line["case"]): line["outcome"] for line in lines if "case" in line}
        return set(outcomes), {name for name, outcome in outcomes.items() if outcome == "failed"}


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--patient", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--only-device", action="append", default=[])
    parser.add_argument("--subject", choices=["hub", "device"])
    run = Run(parser.parse_args())
    for subject, good, broken in (("hub", run.hubs, run.broken), ("device", run.devices, run.broken_devices)):
        if run.options.subject in (None, subject):
            good()
            if run.options.broken:
                broken()
    for problem in run.problems:
        print(f"  ! {problem}")
    print(f"\nreports: {run.out}")
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
