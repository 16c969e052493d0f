"""demo.py --binary FILE --state DIR --where private|lan|loopback [--once]: what tools/run shows.

Starts a hub and one virtual light, then acts as a client would, by the client commands: discover, prepare, commission
(its own stage display is the live part), complete, read, switch. Every step must succeed. Then serves until Ctrl-C, or
with --once ends.
"""

import argparse
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import matterhub_cli as cli

PLAIN = not sys.stdout.isatty()


class Stop(Exception):
    """Ctrl-C or TERM."""


def heading(text: str) -> None:
    """A step of the demonstration."""
    print(f"\n{text}" if PLAIN else f"\n\033[1m{text}\033[0m", flush=True)


def without_place(words: list[str]) -> list[str]:
    """A command line without the state folder, which says nothing to a reader."""
    at = words.index("--state-dir") if "--state-dir" in words else len(words)
    return words[:at] + words[at + 2 :]


class Service:
    """The hub or the light, running beside us; its output goes to a file, its JSON lines to whoever waits for one."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.name, self.log = name, folder / f"{name}.log"
        self._lines: queue.Queue[dict | None] = queue.Queue()
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for(self, matches: object, seconds: float = 20) -> dict:
        """Its next JSON line that matches; ends the demonstration when there is none."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                sys.exit(f"the {self.name} did not say what it should within {seconds:.0f} s; its output: {self.log}")
            if line is None:
                words = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
                sys.exit(f"the {self.name} ended with status {self.child.wait()}:\n" + "\n".join(words))
            if matches(line):
                return line

    def stop(self) -> None:
        """Asks it to end, and waits for its goodbyes."""
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()

    def _read(self) -> None:
        with open(self.log, "ab") as log:
            for raw in self.child.stdout:
                log.write(raw)
                log.flush()
                try:
                    line = json.loads(raw)
                except ValueError:
                    continue
                if isinstance(line, dict):
                    self._lines.put(line)
        self._lines.put(None)


class Demonstration:
    """The steps, in order."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.binary, self.state, self.where = options.binary, options.state, options.where
        self.hub_state, self.light_state = self.state / "hub", self.state / "light"
        self.services: list[Service] = []
        self.hub_port, self.device = 0, ""

    @property
    def address(self) -> str | None:
        """Where clients look for the hub; nowhere in particular when it is announced."""
        return None if self.mdns else f"127.0.0.1:{self.hub_port}"

    @property
    def mdns(self) -> bool:
        """Whether hub and light advertise."""
        return self.where != "loopback"

    def start_hub(self, **options: object) -> Service:
        """Starts the hub and waits until it serves."""
        # On loopback the usual port may be a real hub's.
        port = None if self.mdns else 0
        hub = self.start("hub", cli.serve(self.binary, self.hub_state, mdns=self.mdns, port=port, **options))
        self.hub_port = hub.wait_for(cli.serves)["port"]
        print("   the hub serves", flush=True)
        return hub

    def start_light(self) -> tuple[Service, dict]:
        """Starts the light and waits until it runs; what it says then has its codes, its port and its fabrics."""
        light = self.start("light", cli.device(self.binary, self.light_state, mdns=self.mdns))
        ready = light.wait_for(cli.stands_ready)
        if ready["fabrics"]:
            print("   the light runs; it has been commissioned before", flush=True)
        else:
            print(f"   the light waits to be commissioned: {ready['manualCode']}  {ready['qrCode']}", flush=True)
            subprocess.run(cli.picture(self.binary, ready["qrCode"]), stdin=subprocess.DEVNULL, check=False, timeout=20)
        return light, ready

    def run(self) -> None:
        """Everything up to the light being on."""
        heading("1  A hub and a virtual light start")
        hub = self.start_hub()
        light, ready = self.start_light()

        if self.mdns:
            heading("2  A client finds the hub by DNS-SD")
            hub.wait_for(cli.advertised)
            self.show(cli.discover(self.binary, 2))
        else:
            heading("2  A client is told where the hub is (finding it by DNS-SD is not shown with --no-mdns)")
        if ready["fabrics"]:
            heading("3  The light is a device of the home from before (a new --state-dir shows how it becomes one)")
            kind = (ready["vendorId"], ready["productId"])
            devices = self.ask("devices.list")["devices"]
            identifiers = [entry["id"] for entry in devices if (entry["vendorId"], entry["productId"]) == kind]
        else:
            heading("3  It prepares a commissioning session")
            self.show(self.client("prepare"))
            heading("4  The hub commissions the light")
            address = [] if self.mdns else cli.at_address("127.0.0.1", ready["port"])
            self.show(self.client("commission", ready["qrCode"], *address))
            heading("5  The client completes the session: the light is a device of the home")
            identifiers = self.ask("session.complete")["deviceIds"]
        if not identifiers:
            sys.exit("the home has no such light; a new --state-dir begins anew")
        self.device = identifiers[0]
        self.show(self.client("devices"))
        self.switch("6  It switches the light", light)

    def switch(self, title: str, light: Service) -> None:
        """Switches the light three times: the light itself and a read of it must both say so."""
        heading(title)
        before = self.reads_on()
        for on in (not before, before, not before):
            self.ask("devices.invoke", id=self.device, endpoint=1, cluster=6, command=1 if on else 0)
            light.wait_for(lambda line, wanted=on: cli.switched(line, wanted))
            if (state := self.reads_on()) is not on:
                sys.exit(f"after {'on' if on else 'off'} the light's OnOff reads {state}")
            print(f"   {'on ' if on else 'off'} — and both the light and a read of it say so", flush=True)

    def reads_on(self) -> object:
        """What the light's OnOff reads."""
        attributes = self.ask("devices.read", id=self.device, endpoint=1, cluster=6, attribute=0)["attributes"]
        return attributes[0].get("value") if attributes else None

    def start(self, name: str, command: list[str]) -> Service:
        """Starts the hub or the light."""
        self.services.append(Service(name, command, self.state))
        return self.services[-1]

    def client(self, *arguments: str) -> list[str]:
        """A client command whose output is for the eyes."""
        return cli.client(self.binary, self.hub_state, *arguments, machine=False, hub=self.address)

    def show(self, command: list[str]) -> None:
        """Runs a command whose output is for the eyes."""
        print("   $ matterhub " + " ".join(without_place(command[1:])), flush=True)
        status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False, timeout=120).returncode
        if status:
            sys.exit(f"matterhub {command[1]} ended with status {status}")

    def ask(self, method: str, **params: object) -> dict:
        """The answer to one request, by the client command for it."""
        command = cli.request(self.binary, self.hub_state, method, params, hub=self.address)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False, timeout=120
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with status {done.returncode}: {done.stdout.strip()}")
        return cli.result(method, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")])

    def tell(self) -> None:
        """What to try next."""

        def command(*arguments: str) -> str:
            words = " ".join(self.client(*arguments))
            return f"tools/lab --name run in home {words}" if self.where == "private" else words

        heading("The hub serves on. Ctrl-C ends it.")
        print(
            f"   Device {self.device}. Try it from another terminal:\n     {command('invoke', self.device, 'toggle')}\n"
            f"     {command('devices')}\n\n   Your own device: put it on your network and into commissioning mode; then"
        )
        if self.where == "lan":
            print(f"     {command('prepare')}\n     {command('commission', 'CODE')}\n     {command('complete')}")
        else:
            print("     tools/run --lan        (this hub cannot reach it; that one can, and says what to type)")
        print(
            "   Attestation is strict: a certified device needs its maker's root certificate (DER) in\n     "
            f"{self.hub_state / 'paa'}",
            flush=True,
        )

    def close(self) -> None:
        """Ends the light and the hub."""
        for service in reversed(self.services):
            service.stop()


def main(kind: type[Demonstration] = Demonstration, description: str | None = __doc__) -> int:
    """Returns 0 when every step happened."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--where", choices=("private", "lan", "loopback"), required=True)
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()

    def stop(*_: object) -> None:
        raise Stop

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    demonstration, happened = kind(options), False
    try:
        demonstration.run()
        happened = True
        if options.once:
            heading("All of it happened.")
        else:
            demonstration.tell()
            while all(service.child.poll() is None for service in demonstration.services):
                time.sleep(0.5)
            sys.exit("the hub or the light ended by itself; see " + str(options.state))
    except Stop:
        print("\nstopping", flush=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        demonstration.close()
    return 0 if happened else 130


if __name__ == "__main__":
    sys.exit(main())
