"""What a run found, for people and for machines."""

import os
from statistics import median

from flatness import DESCRIPTORS, MEMORY, Verdict, judge
from link import Json
from programs import Usage

MEBI = 2**20
# The system's pools have a few for each processor; one for each connection would be far more.
THREADS = 32 + 4 * (os.cpu_count() or 1)


class Report:
    """The verdicts on the measurements, and everything else in words."""

    def __init__(
        self, cycles: int, samples: dict[str, list[tuple[int, Usage]]], facts: Json, problems: list[str]
    ) -> None:
        self.facts, self.problems = facts, problems
        self.rows: list[tuple[str, Verdict, bool]] = []
        self.threads: dict[str, int] = {}
        for name, usages in samples.items():
            if not usages:
                continue
            for what, allowance in (("memory", MEMORY), ("descriptors", DESCRIPTORS)):
                series = [(n, usage.private if what == "memory" else usage.descriptors) for n, usage in usages]
                verdict = judge(series, cycles, allowance)
                self.rows.append((f"{name} {what}", verdict, what == "memory"))
                if not verdict.flat:
                    self.problems.append(f"not flat: {name} {what}")
            self.threads[name] = max(usage.threads for _, usage in usages)
            if self.threads[name] > THREADS:
                self.problems.append(f"{name} had {self.threads[name]} threads; {THREADS} are many for this machine")
        facts["flatness"] = {name: vars(verdict) | {"flat": verdict.flat} for name, verdict, _ in self.rows}
        facts["threads"] = self.threads
        facts["problems"] = problems

    def text(self) -> str:
        """Tables, and as the last line what it comes to."""
        parts = [self._flatness()]
        if "outcomes" in self.facts:
            parts += [self._outcomes(), self._account()]
        parts += [f"PROBLEM {problem}" for problem in self.problems]
        seconds = self.facts["seconds"]
        done = "nothing stuck, nothing left, all flat" if not self.problems else f"{len(self.problems)} problems"
        return "\n".join([*parts, f"{done} ({seconds:.0f} s)"])

    def _flatness(self) -> str:
        rows = [("", "START", "END", "SLOPE/CYCLE", "GROWTH", "ALLOWED", "")]
        for name, verdict, memory in self.rows:

            def amount(value: float, memory: bool = memory) -> str:
                return f"{value / MEBI:.2f} MiB" if memory else f"{value:.0f}"

            slope = "" if verdict.slope is None else f"{verdict.slope:+.1f} B" if memory else f"{verdict.slope:+.4f}"
            word = "too few cycles" if verdict.slope is None else "flat" if verdict.flat else "GROWS"
            allowed = "" if verdict.slope is None else amount(verdict.allowed)
            rows.append(
                (name, amount(verdict.start), amount(verdict.end), slope, amount(verdict.growth), allowed, word)
            )
        return aligned(rows)

    def _outcomes(self) -> str:
        rows = [("FAULT", "CYCLES", "OUTCOMES")]
        for kind, outcomes in self.facts["outcomes"].items():
            words = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items(), key=lambda o: -o[1]))
            rows.append((kind, str(sum(outcomes.values())), words))
        return "\n" + aligned(rows)

    def _account(self) -> str:
        facts = self.facts
        requests, times = facts["requests"], facts["cycleSeconds"] or [0.0]
        met = facts["faultsMet"]
        slow = ", ".join(f"{method} {facts['slowest'].get(method, 0):.2f} s" for method in ("session.cancel", "hub.info"))
        descriptors = ", ".join(f"{name} {a} → {b}" for name, (a, b) in facts["descriptors"].items())
        rows = facts["rows"]
        return "\n".join(
            [
                "",
                f"cycles without a fault: median {median(times):.2f} s, longest {times[-1]:.2f} s; faults that happened: "
                f"{met['device']} of lights, {met['hub']} of the hub; a light was still being cleaned "
                f"{facts['stillCleaning']} times",
                f"requests: {requests['sent']:,} = {requests['results']:,} results + {requests['refused']:,} refusals + "
                f"{requests['cut']:,} cut on purpose; {requests['lost']} lost, {requests['overdue']} overdue, "
                f"{requests['answeredTwice']} answered twice; slowest: {slow}",
                f"clients that died: {sum(facts['deaths'].values())} ({', '.join(facts['deaths'])}); the session was "
                f"taken by another client in between {facts['competed']} times",
                f"idle clients: {facts['options']['clients']}, {facts['pings']} pings answered; "
                f"{len(facts['listeners'])} of them heard {max(facts['listeners'], default=0):,} events each",
                f"left: {facts['sessions']} sessions, {facts['devices']} devices, {facts['orphans']} orphans; rows of the "
                f"store: {rows['nodes']} nodes, {rows['endpoints']} endpoints, {rows['devices']} devices",
                f"descriptors before the clients → after them: {descriptors}",
                f"threads at most: {', '.join(f'{name} {count}' for name, count in self.threads.items())} ({THREADS} allowed)",
            ]
        )


def aligned(rows: list[tuple[str, ...]]) -> str:
    """Rows with columns of equal width."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows)
