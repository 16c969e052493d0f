"""The device suite on the rs-matter device (matterbridge 0.0.3), with what is known to fail on it and why.

Left out are the cases after which this device tells every commissioner Busy for a minute: it keeps a handshake that was
given up, refused or not answered until its own time-out (`pase.abandoned` finds that).
"""

from harness import Case, RsMatter
from harness.conformance import examine

NO_ROLLBACK = "the end of its fail-safe undoes neither the fabric nor its root"
STATUS = "it refuses with another status than the cluster's own"
FINDINGS = {
    "failsafe.new-device": NO_ROLLBACK,
    "failsafe.expiry-removes-fabric": NO_ROLLBACK,
    "failsafe.expiry-removes-root": NO_ROLLBACK,
    "failsafe.disarm-rolls-back": NO_ROLLBACK,
    "failsafe.armed-by-pase": "it arms no fail-safe of its own when PASE completes",
    "complete.ends-pase-session": "the PASE session outlives CommissioningComplete",
    "attestation.nonce-length": "it signs nonces of any length",
    "csr.nonce-length": "it signs nonces of any length",
    "case.tampered-proof": "it says nothing to a Sigma3 that does not decrypt",
    "window.duplicate": STATUS,
    "window.parameters": "it does not look at iterations and salt",
    "window.revoke-closed": "it answers success without a window",
    "window.attempt-limit": "it does not count wrong passcodes",
    "advertisement.window": "it announces CM=1 for an administrator's window",
    "order.noc-before-csr": STATUS,
    "order.noc-of-another-key": "it does not compare the certificate's key with that of its request",
    "order.noc-twice": STATUS,
    "fabrics.twice": "it does not look for the fabric in its table",
    "fabrics.label-conflict": STATUS,
    "removal.ends-sessions": "sessions outlive their fabric",
    "removal.commissionable-again": "it must be started again before it takes a commissioner",
}
SKIPPED: dict[str, str] = {}
PASE = ["right-passcode", "wrong-passcode", "parameters", "response", "known-parameters", "unknown-members"]
GROUPS = (
    "advertisement info attestation csr complete case acl window failsafe order fabrics message removal".split()
)


def run(case: Case) -> None:
    """Exactly the known findings."""
    device = RsMatter(case).start()
    filters = [option for name in [f"pase.{name}" for name in PASE] + GROUPS for option in ("--filter", name)]
    examine(case, device.qr, "--fail-safe", 5, *filters, findings=FINDINGS, skipped=SKIPPED, seconds=330)
