"""The person gives up in the middle of the sample app's setup, with the phone's fabric and a real hub: the light is on no
fabric after it, no session is stuck, and the next try adds it."""

from harness import Case, Hub, Light
from harness.sample import SampleApp, added

# Before, while and after the extension commissions the device to the home; `window` is the phone's own work.
STEPS = ("validate", "window", "commission", "configure")

def run(case: Case) -> None:
    """Cancels at each of the steps, looks at hub and light, then adds the light for good."""
    hub = Hub(case, client="command", approve="auto").start()
    hub.await_advertised()
    app = SampleApp(case, hub, phone_fabric=True)
    for step in STEPS:
        light = Light(case, name=f"light-{step}").start()
        answer = app.cancel(light.qr, f"Lamp {step}", step)
        domains = [(layer["domain"], layer["code"]) for layer in answer["error"]]
        case.check(("NSCocoaErrorDomain", 3072) in domains, f"cancelled at {step}, the app saw {domains}")
        case.check(hub.devices() == [], f"after {step} the hub lists {hub.devices()}")
        orphans = hub.call("devices.list", orphans=True)["devices"]
        case.check(orphans == [], f"after {step} these are left: {orphans}")
        light.start()
        case.check(light.fabrics == 0, f"after {step} the light is on {light.fabrics} fabrics")
        added(case, hub, app, light, (f"Lamp {step}", None), None)
        hub.call("devices.remove", id=hub.devices()[0]["id"])
        light.process.stop()
    case.did(f"gave up at {', '.join(STEPS)}; each time nothing was left, and the next try worked")
