"""one.py NAME FOLDER: runs one case inside the sandbox that was made for it; writes FOLDER/outcome.json."""

import importlib
import json
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2] / "lib")]

from harness import Case, CaseFailure, CaseSkipped  # noqa: E402


def main() -> int:
    """Returns 0 when the case passed."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    case, error, skipped, start = Case(folder), "", "", time.monotonic()
    try:
        importlib.import_module(name.replace("-", "_")).run(case)
    except CaseSkipped as reason:
        skipped = str(reason)
    except CaseFailure as failure:
        error = str(failure)
    except Exception:  # noqa: BLE001 — a fault of the case itself is a failure with its trace
        error = traceback.format_exc()
    finally:
        case.close()
    outcome = {
        "name": name,
        "status": "failed" if error else "skipped" if skipped else "passed",
        "seconds": round(time.monotonic() - start, 3),
        "detail": skipped or ", ".join(case.done),
        "timings": case.timings,
        "facts": case.facts,
        "error": error,
    }
    (folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main())
