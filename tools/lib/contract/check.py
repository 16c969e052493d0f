"""check.py --binary FILE --folder FOLDER [--renew]: holds hub, client and Protocols/ to each other (tools/contract).

A hub and virtual lights do what the scenarios ask over real connections; every frame both ways is validated against
the JSON Schema, by itself and by its request's method, and every message, event and reason that the schema names must
have been seen. Prints one line a step; the last line of standard output is a JSON object. Exit status 1 when anything
failed.
"""

import argparse
import json
import shutil
import sys
import time
import traceback
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

import pages  # noqa: E402
import replays  # noqa: E402
import scenarios  # noqa: E402
import test_client  # noqa: E402
import transcripts  # noqa: E402
from recording import Recording  # noqa: E402
from schema import Contract, Traffic  # noqa: E402
from world import Failure, World  # noqa: E402


class Check:
    """The steps, and what went wrong in them."""

    def __init__(self, binary: Path, folder: Path, only: str, renew: bool) -> None:
        self.binary, self.folder, self.only, self.renew = binary, folder, only, renew
        self.problems: list[str] = []
        self.facts: dict[str, object] = {}

    def step(self, name: str, work: Callable[[], str]) -> None:
        """Runs one step; a failure does not keep the others from running."""
        start = time.monotonic()
        try:
            words = work()
        except Exception as failure:  # noqa: BLE001 — whatever went wrong, the other steps are still of use
            traceback.print_exc()
            self.problems.append(f"{name}: {failure or type(failure).__name__}")
            words = f"FAILED: {failure}"
        print(f"{name:<24} {words} ({time.monotonic() - start:.1f} s)", flush=True)

    def run(self) -> None:
        """All steps."""
        contract = Contract()
        self.step("pages", lambda: pages.compare(contract))
        self.step("client", unit_tests)
        slow, fast, dialogues = (
            [work for work in works if self.only in work.__name__]
            for works in (scenarios.SLOW, scenarios.ALL, transcripts.ALL)
        )
        recordings = {work: Recording() for work in [*slow, *fast, *dialogues]}
        with ThreadPoolExecutor(max(1, len(slow))) as beside:
            waits = [beside.submit(self.scenario, work, recordings[work]) for work in slow]
            for work in fast:
                self.step(f"scenario {work.__name__}", partial(self.scenario, work, recordings[work]))
            for work in dialogues:
                self.step(f"dialogue {work.__name__}", partial(self.dialogue, work, recordings[work]))
            for work in (work for work in replays.ALL if self.only in work.__name__):
                self.step(f"replay {work.__name__}", partial(self.replay, work))
            for work, wait in zip(slow, waits, strict=True):
                self.step(f"scenario {work.__name__}", wait.result)
        for work, recording in recordings.items():
            recording.write(self.folder / f"{work.__name__}.jsonl")
        self.step("schema", lambda: self.judge(contract, list(recordings.values())))

    def scenario(self, scenario: Callable[[World], None], recording: Recording) -> str:
        """One scenario with a hub of its own."""
        with World(self.binary, self.folder / scenario.__name__, recording) as world:
            scenario(world)
        return f"{len(recording.entries)} frames"

    def dialogue(self, dialogue: Callable[[World], None], recording: Recording) -> str:
        """One dialogue, compared with its transcript."""
        self.scenario(dialogue, recording)
        return transcripts.compare(dialogue, recording, self.renew)

    def replay(self, replay: Callable[[World], str]) -> str:
        """One transcript, replayed to a hub that writes a transcript itself."""
        folder = self.folder / f"replay-{replay.__name__}"
        with World(self.binary, folder, Recording(), "--transcript", str(folder / "hub.jsonl")) as world:
            return replay(world)

    def judge(self, contract: Contract, recordings: list[Recording]) -> str:
        """Every frame against the schema."""
        traffic = Traffic(contract)
        for recording in recordings:
            traffic.take(recording.entries)
        problems = list(dict.fromkeys(traffic.problems))
        if not self.only:
            problems += traffic.missing(scenarios.EXCUSED)
        mutated, not_refused = traffic.mutate()
        frames = sum(traffic.kinds.values())
        self.facts |= {
            "frames": frames,
            "garbage": sum(recording.garbage for recording in recordings),
            "mutated": mutated,
            "refusedOnPurpose": traffic.refused_on_purpose,
            "kinds": traffic.kinds,
            "methods": traffic.methods,
            "events": traffic.events,
            "errors": traffic.errors,
            "reasons": traffic.reasons,
            "notExercised": scenarios.EXCUSED,
        }
        self.problems += problems + not_refused
        for problem in problems + not_refused:
            print(f"  ! {problem}")
        return (
            f"{frames} frames, {len(traffic.results)} of {len(contract.methods)} methods, {len(traffic.events)} of "
            f"{len(contract.events)} events, {len(traffic.reasons)} of {len(contract.reasons)} reasons; {mutated} "
            f"spoilt messages refused, {len(problems + not_refused)} problems"
        )


def unit_tests() -> str:
    """The client's own tests."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(test_client)
    result = unittest.TextTestRunner(sys.stderr, verbosity=0).run(suite)
    if not result.wasSuccessful() or not result.testsRun:
        raise Failure(f"{len(result.failures) + len(result.errors)} of {result.testsRun} tests of the client failed")
    return f"{result.testsRun} tests"


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", default="", help="only scenarios whose name has this in it")
    parser.add_argument("--renew", action="store_true", help="write the golden transcripts anew")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    check = Check(options.binary, options.folder, options.only, options.renew)
    check.run()
    print(json.dumps({"problems": check.problems, **check.facts}))
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
