"""sample.py --binary FILE --state DIR --where private|lan|loopback [--once]: what tools/run --sample shows.

Starts a hub and one virtual light, then runs the sample app, which drives its extension in a process of its own: the
commissioning code of an iOS app, unedited. SeedApp and SeedExtension must stand beside FILE. A JSON script says what the
person on the phone does.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import matterhub_cli as cli
from demo import Demonstration, heading, main


class SampleDemonstration(Demonstration):
    """The steps, in order."""

    def run(self) -> None:
        """Everything up to the light being on."""
        heading("1  A hub and a virtual light start; the hub gives every app that asks a permission (--approve auto)")
        hub = self.start_hub(approve="auto")
        light, ready = self.start_light()
        if ready["fabrics"]:
            sys.exit("the light has been commissioned before; the sample begins with a new one: another --state-dir")
        if self.mdns:
            hub.wait_for(cli.advertised)
        heading("2  The home gets a room")
        room = cli.create_room(self.binary, self.hub_state, "Kitchen", hub=self.address)
        subprocess.run(room, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=60)
        print("   Kitchen", flush=True)
        heading("3  What the person on the phone will do")
        script = self.state / "setup.json"
        answers = {"code": ready["qrCode"], "room": "Kitchen", "name": "Seed lamp"}
        script.write_text(json.dumps(answers, indent=2) + "\n", encoding="utf-8")
        print("   " + script.read_text(encoding="utf-8").strip().replace("\n", "\n   "), flush=True)
        heading("4  The app adds the light to the home; its extension runs in a process of its own")
        self.app(script, None if self.mdns else f"127.0.0.1:{ready['port']}")
        heading("5  The hub says the same")
        self.show(self.client("devices"))
        identifiers = [device["id"] for device in self.ask("devices.list")["devices"]]
        if len(identifiers) != 1:
            sys.exit(f"the home has {len(identifiers)} devices in place of one")
        self.device = identifiers[0]
        self.switch("6  The light is switched", light)

    def app(self, script: Path, device: str | None) -> None:
        """Runs the sample app; what it says is for the eyes. `device` is where the light is when it is not announced."""
        folder = self.state / "app"
        folder.mkdir(exist_ok=True)
        variables = cli.sample_environment(folder, script, hub=self.address, device=device)
        command = cli.sample(self.binary)
        print("   $ MATTERHUB_SETUP=setup.json SeedApp", flush=True)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, env=dict(os.environ) | variables, check=False, timeout=180
        )
        if done.returncode:
            sys.exit(f"SeedApp ended with status {done.returncode}")


if __name__ == "__main__":
    sys.exit(main(SampleDemonstration, __doc__))
