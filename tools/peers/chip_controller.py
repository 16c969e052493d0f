#!/usr/bin/env python3
"""chip_controller.py [options] COMMAND...      each COMMAND is one argument; "-" reads them from standard input by line

The CHIP SDK as Matter controller. Keeps one fabric in --store and runs the commands in order, until one fails:

  commission CODE              by QR or manual code, attestation included, on the IP network only
  commission-at ADDRESS PASSCODE [PORT]   the same without discovery of the commissionable device
  read ENDPOINT/CLUSTER/ATTRIBUTE         numbers or names: 0/BasicInformation/ProductName
  write ENDPOINT/CLUSTER/ATTRIBUTE JSON   writes one attribute
  invoke ENDPOINT/CLUSTER/COMMAND [FIELD=JSON]...   one command, timed where the SDK says that it must be
  use-node NUMBER              the commands from here on mean the device with this node id
  read-basic                   BasicInformation of the root endpoint
  read-all                     everything; prints the clusters, and which attributes the SDK cannot decode
  on|off|toggle ENDPOINT       the OnOff cluster; prints the state read back
  subscribe ENDPOINT           subscribes to OnOff, toggles, and waits for the report of the change
  open-window [SECONDS]        an enhanced commissioning window; prints its codes
  revoke-window                closes it
  drop-session                 forgets the CASE session and makes a new one
  remove                       removes our fabric from the device
  fabrics                      how many fabrics the device has

With --json each command answers with one line {"command", "ok", "seconds", "result" or "error"}; else with text.
Exit status 0 when all succeeded. --paa DIR: the only trusted attestation roots (DER files); without it the two
test roots compiled into the SDK. There is no way past attestation. Needs a writable /data and root's rights on it, as
`tools/lab` gives.
"""

import argparse
import asyncio
import ctypes
import json
import logging
import os
import re
import shlex
import sys
import time
from pathlib import Path

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--store", required=True, type=Path, help="folder that keeps the controller's fabric and log")
PARSER.add_argument("--paa", type=Path, help="folder of trusted attestation roots, DER")
PARSER.add_argument("--node", type=int, default=1, help="node id to give to or use for the device")
PARSER.add_argument("--timeout", type=float, default=60, help="seconds for each command")
PARSER.add_argument("--json", action="store_true")
PARSER.add_argument("commands", nargs="+", metavar="COMMAND")
OPTIONS = PARSER.parse_args()
if OPTIONS.paa is not None and not list(OPTIONS.paa.glob("*.der")):
    # The SDK would start, and then blame the device.
    PARSER.error(f"{OPTIONS.paa} holds no .der file")

# Imported after the arguments are known: the SDK takes a while to load, and writes on standard output as it does.
OPTIONS.store.mkdir(parents=True, exist_ok=True)
LOG = open(OPTIONS.store / "chip.log", "a", encoding="utf-8")
ANSWERS = os.dup(1)
os.dup2(LOG.fileno(), 1)
os.dup2(LOG.fileno(), 2)

import chip.native  # noqa: E402
from chip import CertificateAuthority, clusters, discovery  # noqa: E402
from chip.ChipDeviceCtrl import ChipDeviceController  # noqa: E402
from chip.ChipStack import ChipStack  # noqa: E402
from chip.clusters.Attribute import ValueDecodeFailure  # noqa: E402
from chip.logging import SetLogFilter  # noqa: E402
from chip.logging.library_handle import _GetLoggingLibraryHandle  # noqa: E402
from chip.logging.types import LogRedirectCallback_t  # noqa: E402

logging.disable(logging.CRITICAL)


class Log:
    """The SDK's own log: kept in a file, and read for the commissioner's steps and for its verdict on attestation."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, str]] = []
        self.finished = 0.0
        self.complaints: list[str] = []
        # The SDK calls this for as long as the process lives.
        self.callback = LogRedirectCallback_t(self.line)

    def line(self, _category: int, module: bytes, message: bytes) -> None:
        now, text = time.monotonic(), message.decode(errors="replace")
        LOG.write(f"{now:.4f} {module.decode()} {text}\n")
        if step := re.search(r"Performing next commissioning step '(\w+)'", text):
            self.steps.append((now, step[1]))
        elif "Successfully finished commissioning step" in text:
            self.finished = now
        elif re.search(r"attestation.*(fail|error)|Unable to find PAA|PAA is untrusted", text, re.IGNORECASE):
            self.complaints.append(text)

    def stages(self, start: float) -> dict[str, float]:
        """Milliseconds of each step since `start`; the first is discovery with PASE."""
        names = ["DiscoveryAndPASE"] + [name for _, name in self.steps]
        times = [start] + [moment for moment, _ in self.steps] + [self.finished or time.monotonic()]
        durations: dict[str, float] = {}
        for name, begin, end in zip(names, times, times[1:], strict=False):
            durations[name] = round(durations.get(name, 0) + (end - begin) * 1000, 1)
        return durations


class ByteSpan(ctypes.Structure):
    """chip::ByteSpan."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def export_test_roots(folder: Path) -> Path:
    """Writes the two public test roots that are compiled into the SDK: its file store has no other way to trust
    them."""
    folder.mkdir(exist_ok=True)
    library = chip.native._GetLibraryHandle(chip.native.Library.CONTROLLER, False).dll
    for name in ("FFF1", "NoVID"):
        symbol = f"sTestCert_PAA_{name}_Cert"
        span = ByteSpan.in_dll(library, f"_ZN4chip9TestCerts{len(symbol)}{symbol}E")
        (folder / f"{name}.der").write_bytes(ctypes.string_at(span.data, span.size))
    return folder


class Controller:
    """One controller on one fabric, and the device with the given node id."""

    def __init__(self, log: Log) -> None:
        self.log = log
        chip.native.Init(999)
        _GetLoggingLibraryHandle().pychip_logging_set_callback(log.callback)
        SetLogFilter(4)
        stack = ChipStack(persistentStoragePath=str(OPTIONS.store / "chip.json"), enableServerInteractions=True)
        authorities = CertificateAuthority.CertificateAuthorityManager(chipStack=stack)
        authorities.LoadAuthoritiesFromStorage()
        known = authorities.activeCaList
        authority = known[0] if known else authorities.NewCertificateAuthority()
        fabrics = authority.adminList
        fabric = fabrics[0] if fabrics else authority.NewFabricAdmin(vendorId=0xFFF1, fabricId=1)
        roots = OPTIONS.paa or export_test_roots(OPTIONS.store / "paa")
        self.device: ChipDeviceController = fabric.NewController(
            nodeId=112233, paaTrustStorePath=str(roots), useTestCommissioner=False
        )
        self.node = OPTIONS.node
        # Each of these shuts the controller down when it is collected.
        self.kept = (stack, authorities, authority, fabric)

    async def commission(self, code: str) -> dict:
        start = time.monotonic()
        self.log.steps.clear()
        await self.device.CommissionWithCode(code, self.node, discovery.DiscoveryType.DISCOVERY_NETWORK_ONLY)
        return {"node": self.node, "stages": self.log.stages(start)}

    async def commission_at(self, address: str, passcode: str, port: str = "5540") -> dict:
        start = time.monotonic()
        self.log.steps.clear()
        await self.device.EstablishPASESessionIP(address, int(passcode), self.node, int(port))
        await self.device.Commission(self.node)
        return {"node": self.node, "stages": self.log.stages(start)}

    async def read(self, path: str) -> dict:
        endpoint, cluster_name, attribute_name = path.split("/")
        cluster = named(clusters.ClusterObjects.ALL_CLUSTERS, cluster_name)
        attribute = named(clusters.ClusterObjects.ALL_ATTRIBUTES[cluster.id], attribute_name)
        return {path: plain(await self.attribute(int(endpoint), cluster, attribute))}

    async def write(self, path: str, value: str) -> dict:
        endpoint, cluster_name, attribute_name = path.split("/")
        cluster = named(clusters.ClusterObjects.ALL_CLUSTERS, cluster_name)
        attribute = named(clusters.ClusterObjects.ALL_ATTRIBUTES[cluster.id], attribute_name)
        results = await self.device.WriteAttribute(self.node, [(int(endpoint), attribute(json.loads(value)))])
        if results[0].Status != 0:
            raise RuntimeError(f"the write was refused with {results[0].Status!r}")
        return {}

    async def invoke(self, path: str, *fields: str) -> dict:
        endpoint, cluster_name, command_name = path.split("/")
        cluster = named(clusters.ClusterObjects.ALL_CLUSTERS, cluster_name)
        command = getattr(cluster.Commands, command_name)
        values = {name: json.loads(value) for name, value in (field.split("=", 1) for field in fields)}
        limit = 5000 if command.must_use_timed_invoke else None
        await self.device.SendCommand(self.node, int(endpoint), command(**values), timedRequestTimeoutMs=limit)
        return {}

    async def use_node(self, number: str) -> dict:
        self.node = int(number)
        return {}

    async def read_basic(self) -> dict:
        reply = await self.device.ReadAttribute(self.node, [(0, clusters.BasicInformation)])
        values = reply[0][clusters.BasicInformation]
        return {
            attribute.__name__: plain(value)
            for attribute, value in values.items()
            if attribute.__name__ not in ("DataVersion", "AttributeList")
        }

    async def read_all(self) -> dict:
        reply = await self.device.Read(self.node, [("*")])
        undecodable = [
            f"{endpoint}/{cluster.__name__}/{attribute.__name__}"
            for endpoint, found in reply.attributes.items()
            for cluster, values in found.items()
            for attribute, value in values.items()
            if isinstance(value, ValueDecodeFailure)
        ]
        return {
            "undecodable": undecodable,
            "endpoints": {
                str(endpoint): sorted(cluster.__name__ for cluster in found)
                for endpoint, found in reply.attributes.items()
            },
            "attributes": sum(len(values) for found in reply.attributes.values() for values in found.values()),
        }

    async def on(self, endpoint: str) -> dict:
        return await self.switch(int(endpoint), clusters.OnOff.Commands.On())

    async def off(self, endpoint: str) -> dict:
        return await self.switch(int(endpoint), clusters.OnOff.Commands.Off())

    async def toggle(self, endpoint: str) -> dict:
        return await self.switch(int(endpoint), clusters.OnOff.Commands.Toggle())

    async def subscribe(self, endpoint: str) -> dict:
        number, attribute = int(endpoint), clusters.OnOff.Attributes.OnOff
        subscription = await self.device.ReadAttribute(self.node, [(number, attribute)], reportInterval=(0, 30))
        loop, reports = asyncio.get_running_loop(), asyncio.Queue()

        def current(*_: object) -> bool:
            return subscription.GetAttributes()[number][clusters.OnOff][attribute]

        before = current()
        subscription.SetAttributeUpdateCallback(lambda *_: loop.call_soon_threadsafe(reports.put_nowait, current()))
        start = time.monotonic()
        command = clusters.OnOff.Commands.Off() if before else clusters.OnOff.Commands.On()
        await self.device.SendCommand(self.node, number, command)
        # A device may report an unchanged value first: rs-matter does after a level change.
        try:
            while (after := await asyncio.wait_for(reports.get(), 10)) == before:
                pass
        except TimeoutError:
            raise RuntimeError("no report of the change within 10 s") from None
        subscription.Shutdown()
        return {"before": before, "after": after, "reportAfter": round(time.monotonic() - start, 4)}

    async def open_window(self, seconds: str = "180") -> dict:
        window = await self.device.OpenCommissioningWindow(
            self.node, int(seconds), 2000, 2345, ChipDeviceController.CommissioningWindowPasscode.kTokenWithRandomPin
        )
        return {
            "manual": window.setupManualCode,
            "qr": window.setupQRCode,
            "passcode": window.setupPinCode,
            "discriminator": 2345,
        }

    async def revoke_window(self) -> dict:
        await self.device.SendCommand(
            self.node, 0, clusters.AdministratorCommissioning.Commands.RevokeCommissioning(), timedRequestTimeoutMs=2000
        )
        return {}

    async def drop_session(self) -> dict:
        self.device.ExpireSessions(self.node)
        await self.device.GetConnectedDevice(self.node, allowPASE=False, timeoutMs=int(OPTIONS.timeout * 1000))
        return {}

    async def remove(self) -> dict:
        await self.device.UnpairDevice(self.node)
        return {}

    async def fabrics(self) -> dict:
        credentials = clusters.OperationalCredentials
        return {"fabrics": await self.attribute(0, credentials, credentials.Attributes.CommissionedFabrics)}

    async def switch(self, endpoint: int, command: object) -> dict:
        await self.device.SendCommand(self.node, endpoint, command)
        return {"on": await self.attribute(endpoint, clusters.OnOff, clusters.OnOff.Attributes.OnOff)}

    async def attribute(self, endpoint: int, cluster: type, attribute: type) -> object:
        reply = await self.device.ReadAttribute(self.node, [(endpoint, attribute)])
        value = reply[endpoint][cluster][attribute]
        if isinstance(value, ValueDecodeFailure):
            raise RuntimeError(f"the SDK cannot decode {attribute}: {value.Reason}")
        return value


def named(table: dict, name: str) -> type:
    """The entry of an SDK table with this number or class name."""
    for number, entry in table.items():
        if name in (str(number), hex(number), entry.__name__):
            return entry
    raise ValueError(f"the SDK knows no '{name}'")


def plain(value: object) -> object:
    """A value that JSON can carry."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def answer(command: str, seconds: float, result: object = None, error: str = "") -> None:
    """One answer, as JSON or as text."""
    if OPTIONS.json:
        fields = {"command": command, "ok": not error, "seconds": round(seconds, 4)}
        fields.update({"error": error} if error else {"result": result})
        text = json.dumps(fields)
    elif error:
        text = f"{command}: FAILED after {seconds:.3f} s: {error}"
    else:
        text = f"{command}: {seconds:.3f} s {json.dumps(result)}"
    os.write(ANSWERS, (text + "\n").encode())


async def perform(controller: Controller, command: str) -> bool:
    """Runs one command; answers; says whether it succeeded."""
    name, *arguments = shlex.split(command)
    start = time.monotonic()
    LOG.write(f"{start:.4f} --- {command}\n")
    controller.log.complaints.clear()
    try:
        method = getattr(Controller, name.replace("-", "_"), None)
        if method is None or name in ("switch", "attribute") or name.startswith("_"):
            raise ValueError(f"unknown command '{name}'")
        result = await asyncio.wait_for(method(controller, *arguments), OPTIONS.timeout)
    except TimeoutError:
        answer(command, time.monotonic() - start, error=f"no result within {OPTIONS.timeout:.0f} s")
        return False
    except Exception as error:  # noqa: BLE001 — whatever the SDK throws is the answer
        because = "; ".join(dict.fromkeys(controller.log.complaints))
        answer(command, time.monotonic() - start, error=f"{error}" + (f" ({because})" if because else ""))
        return False
    answer(command, time.monotonic() - start, result)
    return True


async def run() -> bool:
    """Starts the controller and runs all commands."""
    start = time.monotonic()
    controller = Controller(Log())
    answer("start", time.monotonic() - start, {"sdk": "home-assistant-chip-core 2025.7.0"})
    if OPTIONS.commands != ["-"]:
        for command in OPTIONS.commands:
            if not await perform(controller, command):
                return False
        return True
    succeeded, loop = True, asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.strip():
            succeeded = await perform(controller, line.strip()) and succeeded
    return succeeded


if __name__ == "__main__":
    STATUS = 1
    try:
        STATUS = 0 if asyncio.run(run()) else 1
    except BaseException as error:  # noqa: BLE001 — the last word before the SDK's threads are left behind
        answer("run", 0, error=f"{type(error).__name__}: {error}")
    LOG.flush()
    # Empty, at a fixed place that another user's controller could not open.
    Path("/tmp/chip_kvs").unlink(missing_ok=True)
    # The SDK's own shutdown takes seconds and can hang.
    os._exit(STATUS)
