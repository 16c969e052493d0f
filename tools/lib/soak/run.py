"""run.py --binary FILE --folder FOLDER [OPTION]...: the soak run of tools/soak (its help says what each option is)."""

import argparse
import asyncio
import json
import resource
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from soak import Options, Soak  # noqa: E402


def options() -> Options:
    """The command line, read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--cycles", type=int, default=2_000)
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--active", type=int, default=50)
    parser.add_argument("--lights", type=int, default=4)
    parser.add_argument("--faults", type=float, default=5)
    parser.add_argument("--die-every", type=int, default=4)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    if min(words.cycles, words.active, words.lights, words.die_every) < 1 or words.clients < 0:
        parser.error("--cycles, --active, --lights and --die-every are at least 1, --clients at least 0")
    if not 0 <= words.faults <= 100:
        parser.error("--faults is a percentage")
    return Options(**vars(words))


def main() -> int:
    """Returns the exit status."""
    wanted = options()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = wanted.clients + wanted.active + 200
    if most != resource.RLIM_INFINITY and most < need:
        print(f"soak: {need} open files are needed, and this user may have {most} (ulimit -H -n)", file=sys.stderr)
        return 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    shutil.rmtree(wanted.folder, ignore_errors=True)
    wanted.folder.mkdir(parents=True)
    began = time.monotonic()
    report = asyncio.run(Soak(wanted).run())
    report.facts["seconds"] = round(time.monotonic() - began, 1)
    print(report.text())
    if wanted.json:
        wanted.json.write_text(json.dumps(report.facts), encoding="utf-8")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
