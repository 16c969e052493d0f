"""The CHIP controller with a foreign attestation root: proof that its attestation check is not bypassed."""

from harness import Case, ChipController, RsMatter

# A self-signed root that signed nothing, made by the devices' Python environment, which has the library for it.
MAKE_ROOT = """
import datetime, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "A root that signed nothing")])
now = datetime.datetime(2024, 1, 1)
certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    .serial_number(1).not_valid_before(now).not_valid_after(datetime.datetime(2099, 1, 1))
    .add_extension(x509.BasicConstraints(True, 1), True)
    .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    .sign(key, hashes.SHA256()))
open(sys.argv[1], "wb").write(certificate.public_bytes(serialization.Encoding.DER))
"""


def run(case: Case) -> None:
    """Expects attestation to fail with only a foreign root, and the device to stay free for one who trusts it."""
    roots = case.folder / "foreign"
    roots.mkdir()
    made = case.call("make-root", "ctl", case.peers / "devices" / "bin" / "python", "-c", MAKE_ROOT, roots / "root.der")
    case.check(made.returncode == 0, f"no root was made: {made.stderr}")
    device = RsMatter(case).start()
    answer = ChipController(case, paa=roots, name="chip-foreign").attempt(f"commission {device.qr}")
    case.check(not answer["ok"], "a device without a trusted root was commissioned")
    case.check("Attestation" in answer["error"], f"it failed for another reason: {answer['error']}")
    case.did(f"refused at attestation after {answer['seconds']:.2f} s")
