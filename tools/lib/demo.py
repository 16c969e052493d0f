"""demo.py --binary FILE --state DIR --where private|lan|loopback [--once]: what tools/run shows, on the network it is run in.

Starts a hub and one virtual light, then acts as a client would, by the client commands: discover, prepare, commission (its own
stage display is the live part), complete, read, switch. Every step must succeed. Then serves until Ctrl-C, or with --once ends.
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
                sys.exit(f"the {self.name} did not get ready within {seconds:.0f} s; its output: {self.log}")
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
        self.passcode, self.discriminator, self.port = cli.draw_passcode(), 2976, 5540
        self.services: list[Service] = []

    @property
    def mdns(self) -> bool:
        """Whether hub and light advertise."""
        return self.where != "loopback"

    def run(self) -> None:
        """Everything up to the light being on."""
        heading("1  A hub and a virtual light start")
        hub = self.start("hub", cli.serve(self.binary, self.hub_state, mdns=self.mdns))
        hub.wait_for(cli.serves)
        print("   the hub serves", flush=True)
        light = self.start("light", cli.device(self.binary, self.light_state, passcode=self.passcode, port=self.port,
                                               discriminator=self.discriminator, mdns=self.mdns))
        ready = light.wait_for(cli.stands_ready)
        print(f"   the light waits to be commissioned: {ready['manualCode']}  {ready['qrCode']}", flush=True)
        subprocess.run(cli.picture(self.binary, ready["qrCode"]), stdin=subprocess.DEVNULL, check=False, timeout=20)

        if self.mdns:
            heading("2  A client finds the hub by DNS-SD")
            self.show("discover", *cli.DISCOVER_OPTIONS)
        else:
            heading("2  A client knows where the hub is (DNS-SD is not shown with --no-mdns)")
        heading("3  It prepares a commissioning session")
        self.show("prepare")
        heading("4  The hub commissions the light")
        address = [] if self.mdns else cli.at_address("127.0.0.1", self.port)
        self.show("commission", ready["qrCode"], *address)
        heading("5  The client completes the session: the light is a device of the home")
        identifiers = self.ask("complete")["deviceIds"]
        if len(identifiers) != 1:
            sys.exit(f"complete returned {identifiers} in place of one device id")
        self.show("devices")
        self.device = identifiers[0]
        heading("6  It switches the light")
        for command, expected in ((1, True), (0, False), (1, True)):
            self.ask("invoke", self.device, f"1/6/{command}")
            attributes = self.ask("read", self.device, "1/6/0")["attributes"]
            if attributes[0].get("value") is not expected:
                sys.exit(f"after {'on' if expected else 'off'} the light's OnOff reads {attributes}")
            print(f"   {'on ' if expected else 'off'} — and the light says so itself", flush=True)

    def start(self, name: str, command: list[str]) -> Service:
        """Starts the hub or the light."""
        self.services.append(Service(name, command, self.state))
        return self.services[-1]

    def show(self, *arguments: str) -> None:
        """Runs a client command whose output is for the eyes."""
        command = cli.client(self.binary, self.hub_state, *arguments, machine=False)
        print("   $ matterhub " + " ".join(arguments), flush=True)
        status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False, timeout=120).returncode
        if status:
            sys.exit(f"matterhub {arguments[0]} ended with status {status}")

    def ask(self, *arguments: str) -> dict:
        """Runs a client command and returns its answer."""
        command = cli.client(self.binary, self.hub_state, *arguments)
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False, timeout=120)
        if result.returncode:
            sys.exit(f"matterhub {' '.join(arguments)} ended with status {result.returncode}: {result.stdout.strip()}")
        return json.loads(result.stdout.strip().splitlines()[-1])

    def tell(self) -> None:
        """What to try next."""
        command = " ".join(cli.client(self.binary, self.hub_state, machine=False)[:1])
        inside = f"tools/lab --name run in home {command}" if self.where == "private" else command
        state = f"--state-dir {self.hub_state}"
        heading("The hub serves on. Ctrl-C ends it.")
        print(f"   device {self.device}: from another terminal\n"
              f"     {inside} devices {state}\n"
              f"     {inside} invoke {self.device} 1/6/2 {state}        (toggle)\n")
        print("   Your own device: put it on your network and in commissioning mode, then")
        if self.where == "lan":
            print(f"     {command} prepare {state}\n     {command} commission CODE {state}\n     {command} complete {state}")
        else:
            print("     tools/run --lan        (this private network cannot reach it), and there prepare, commission CODE, complete")
        print("   A device that is not a test device needs its maker's root (DER) in the hub's folder "
              f"{self.hub_state / 'paa'}", flush=True)

    def close(self) -> None:
        """Ends the light and the hub."""
        for service in reversed(self.services):
            service.stop()


def main() -> int:
    """Returns 0 when every step happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--where", choices=("private", "lan", "loopback"), required=True)
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()

    def stop(*_: object) -> None:
        raise Stop

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    demonstration, happened = Demonstration(options), False
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
