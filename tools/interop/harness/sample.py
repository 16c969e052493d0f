"""The sample app with its extension in a process of its own: an iOS app's commissioning code, as a case uses it."""

import json

import matterhub_cli as cli

from .case import Case
from .matterhub import Hub, Light
from .peers import Device
from .scenarios import remove, use


class SampleApp:
    """SeedApp beside the hub, with state and home folder of its own."""

    def __init__(self, case: Case, hub: Hub, phone_fabric: bool) -> None:
        self.case, self.hub, self.phone_fabric = case, hub, phone_fabric
        self.folder = case.folder / "app"
        self.folder.mkdir(exist_ok=True)

    def add(self, code: str, name: str, room: str | None, *options: str) -> dict:
        """Adds the device of this code: what the app prints, as JSON."""
        return self._run({"code": code, "name": name, "room": room}, 0, *options)

    def cancel(self, code: str, name: str, step: str) -> dict:
        """Begins to add the device, and gives up at a step: what the app prints, as JSON."""
        return self._run({"code": code, "name": name, "cancelAt": step}, 130)

    def _run(self, script_of: dict, status: int, *options: str) -> dict:
        script = self.folder / "setup.json"
        script.write_text(json.dumps(script_of), encoding="utf-8")
        variables = cli.sample_environment(self.folder, script, phone_fabric=self.phone_fabric)
        result = self.case.call(
            "app",
            self.hub.node,
            "env",
            *(f"{name}={value}" for name, value in variables.items()),
            *cli.sample(self.case.matterhub, "--json", *options),
            seconds=100,
        )
        self.case.check(
            result.returncode == status,
            f"SeedApp ended with {result.returncode} in place of {status}: {(result.stderr or result.stdout).strip()[-800:]}",
        )
        return json.loads(result.stdout)


def sample_flow(
    case: Case,
    device: Device | Light,
    product: int,
    *,
    vendor: int = 0xFFF1,
    phone_fabric: bool,
    label: str | None = None,
    removable: bool = True,
    options: tuple[str, ...] = (),
) -> None:
    """The whole flow in the seed's spelling (or with other options of the app) and, after a removal, in the newer one, and
    with the extension in the app's process.

    `label` is what the device calls itself: one behind a bridge keeps that as its name, whatever the app says.
    """
    case.check((case.matterhub.parent / "SeedExtension").exists(), "SeedApp and SeedExtension were not built")
    hub = Hub(case, client="command", approve="auto").start()
    hub.await_advertised()
    room = case.call("room", hub.node, *cli.create_room(case.matterhub, hub.state, "Kitchen"))
    case.check(room.returncode == 0, f"no room was made: {room.stderr.strip()[-400:]}")
    app = SampleApp(case, hub, phone_fabric)
    first = added(case, hub, app, device, ("Seed lamp", label), "Kitchen", *options)
    use(case, hub, device, first, vendor=vendor, product=product)
    if phone_fabric or not removable:
        # The phone keeps its fabric, as a phone does, so the device stays commissioned; some devices fail to leave one.
        return
    ids = [first]
    for name, option in (("Newer lamp", "--newer"), ("Inner lamp", "--in-process")):
        remove(case, hub, ids[-1])
        device.start()
        ids.append(added(case, hub, app, device, (name, label), None, option))
    case.check(len(set(ids)) == len(ids), "the hub gave the same device id twice")


def added(
    case: Case,
    hub: Hub,
    app: SampleApp,
    device: Device | Light,
    names: tuple[str, str | None],
    room: str | None,
    *options: str,
) -> str:
    """Adds the device under the first of the names; app and hub must tell the same of it."""
    name, label = names
    with case.timed(f"the app added it ({' '.join(options) or 'seed spelling'})"):
        answer = app.add(device.qr, name, room, *options)
    case.check(len(answer["ids"]) == 1, f"the app got the ids {answer['ids']}")
    entry = next((entry for entry in answer["devices"] if entry["id"] == answer["ids"][0]), None)
    case.check(entry is not None, f"the new device is not among {answer['devices']}")
    case.check(entry["name"] == (label or name) and entry.get("room") == room, f"the app lists {entry}")
    listed = [entry["id"] for entry in hub.devices()]
    case.check(answer["ids"][0] in listed, f"the hub lists {listed}")
    return answer["ids"][0]


__all__ = ["SampleApp", "added", "sample_flow"]
